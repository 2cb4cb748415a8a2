// Read the docs page in a real browser and make two calls from it; say what was asked for and answered.
//
//     node docs.mjs /usr/bin/chromium http://127.0.0.1:8000
import { chromium } from "playwright-core";

const [executablePath, url] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const [asked, complaints] = [[], []];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));

  await page.goto(`${url}/docs`);
  await page.locator(".opblock").first().waitFor();
  const operations = await page.locator(".opblock").count();

  /** Make the call of an operation as a reader would, with the example that stands there. */
  async function tryOut(operation, method, path) {
    const block = page.locator(`.opblock[id$="-${operation}"]`);
    await block.locator(".opblock-summary-control").click();
    await block.getByRole("button", { name: "Try it out" }).click();
    const answered = page.waitForResponse(
      (answer) => answer.url() === url + path && answer.request().method() === method,
    );
    await block.getByRole("button", { name: "Execute" }).click();
    const answer = await answered;
    const shown = await block.locator(".live-responses-table tbody .response-col_status").first().textContent();
    return { status: answer.status(), shown: Number.parseInt(shown, 10), body: await answer.json() };
  }

  const newcomer = await tryOut("createPlayer", "POST", "/v1/players");
  await page.locator(".auth-wrapper .authorize").first().click();
  const bearer = page.locator(".auth-container", { has: page.locator("#auth-bearer-value") });
  await bearer.locator("input").fill(newcomer.body.token);
  await bearer.locator(".authorize").click();
  await page.locator(".dialog-ux .close-modal").click();
  const me = await tryOut("getMe", "GET", "/v1/me");

  console.log(
    JSON.stringify({
      title: await page.title(),
      operations,
      calls: [newcomer, me].map(({ status, shown, body }) => ({ status, shown, id: (body.player ?? body).id })),
      asked,
      complaints,
    }),
  );
} finally {
  await browser.close();
}
