"""Where webhooks may go: the table of addresses that nothing is sent to."""

import pytest

from service.runtime.ssrf_guard import (
    TargetForbidden,
    check_addresses,
    check_url,
    is_public,
    resolve_addresses,
)

PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "192.167.1.1", "2606:4700::1111"]
PUBLIC += ["2001:4860:4860::8888", "223.255.255.254", "11.0.0.1", "100.63.255.255", "100.128.0.1"]

CLOSED = {
    "this network": "0.0.0.0 0.1.2.3 ::",
    "this machine": "127.0.0.1 127.255.255.254 ::1",
    "private": "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12::1",
    "link-local": "169.254.169.254 169.254.0.1 fe80::1 febf::1 fe80::1%eth0",
    "site-local": "fec0::1",
    "of a carrier": "100.64.0.1 100.127.255.255",
    "multicast": "224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
    "broadcast": "255.255.255.255",
    "reserved": "240.0.0.1 192.0.0.8 4000::1 e000::1",
    "for documents": "192.0.2.1 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1",
    "for measurements": "198.18.0.1 198.19.255.255 2001:2::1",
    "IPv4 within IPv6": "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::8.8.8.8",
    "translated": "64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1",
    "6to4": "2002:7f00:1::1 2002:808:808::1 192.88.99.1",
    "Teredo": "2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "discarded": "100::1",
    "scoped": "2606:4700::1111%1",
    "no address": "localhost 127.1 0x7f.1 2130706433 017700000001 1.2.3.4.5 example.com",
}

PRIVATE_HOSTS = (
    "127.0.0.1 127.1 0x7f.0.0.1 0x7f000001 2130706433 0177.0.0.1 0 10.1 10.0.0.1 169.254.169.254 0.0.0.0 "
    "[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [fe80::1%25eth0] [64:ff9b::a9fe:a9fe] [2002:a00:1::] "
    "localhost LOCALHOST a.localhost printer.local metadata.google.internal router.lan intranet "
    "nas.home.arpa hidden.onion redis"
)


class TestAddresses:
    @pytest.mark.parametrize("address", PUBLIC)
    def test_a_public_address_is_public(self, address):
        assert is_public(address)

    @pytest.mark.parametrize("address", ["", *" ".join(CLOSED.values()).split()])
    def test_no_other_one_is_public(self, address):
        assert not is_public(address)

    def test_one_private_address_among_others_is_enough_to_refuse_a_name(self):
        assert check_addresses(["1.1.1.1", "8.8.8.8"]) == ["1.1.1.1", "8.8.8.8"]
        with pytest.raises(TargetForbidden):
            check_addresses(["1.1.1.1", "10.0.0.1"])
        assert check_addresses(["10.0.0.1"], private=True) == ["10.0.0.1"]

    def test_a_name_is_resolved_by_the_system(self):
        found = resolve_addresses("localhost", 80)

        assert found
        assert set(found) <= {"127.0.0.1", "::1"}

    def test_an_address_is_resolved_to_itself(self):
        assert resolve_addresses("127.0.0.1", 80) == ["127.0.0.1"]


class TestUrls:
    @pytest.mark.parametrize(
        "url",
        [
            "https://example.com",
            "https://example.com/rummy?key=a%20b",
            "https://EXAMPLE.com:8443/x",
            "https://xn--bcher-kva.example/x",
            "https://1.1.1.1/x",
            "https://[2606:4700::1111]/x",
            "https://a.b.c-d.example/",
        ],
    )
    def test_a_public_https_url_is_accepted(self, url):
        check_url(url)

    @pytest.mark.parametrize(
        "url",
        [
            "http://example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "example.com",
            "//example.com/",
            "https://",
            "https:///x",
            "https://user@example.com/",
            "https://user:pass@example.com/",
            "https://@example.com/",
            "https://example.com/#here",
            "https://example.com:0/",
            "https://example.com:99999/",
            "https://example.com:x/",
            "https://exa mple.com/",
            "https://example.com/a b",
            "https://example.com/\r\nHost: other",
            "https://bücher.example/",
            "https://example..com/",
            "https://-example.com/",
            "https://example.com./",
            "https://exa_mple.com/",
            "https://example.com\\@127.0.0.1/",
            "https://[::1",
            "https://[example.com]/",
            f"https://example.com/{'x' * 2000}",
            f"https://{'a' * 64}.com/",
            "",
        ],
    )
    def test_anything_else_is_refused(self, url):
        with pytest.raises(TargetForbidden):
            check_url(url)

    @pytest.mark.parametrize("host", PRIVATE_HOSTS.split())
    def test_a_private_target_is_refused_however_it_is_written(self, host):
        with pytest.raises(TargetForbidden):
            check_url(f"https://{host}/hook")

    @pytest.mark.parametrize(
        "url", ["http://127.0.0.1:9000/", "http://localhost/", "https://10.0.0.1/", "http://bot/x"]
    )
    def test_for_development_all_of_ones_own_network_may_be_allowed(self, url):
        check_url(url, private=True)
