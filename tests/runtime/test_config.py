"""Settings come from the environment, are checked at once and never give a secret away."""

import pytest

from service.config import SettingError, Settings, redact_url


def settings(**environ):
    return Settings.from_environment(environ)


class TestDefaults:
    def test_an_empty_environment_listens_on_this_machine_only(self):
        assert (settings().bind, settings().port) == ("127.0.0.1", 8000)

    def test_no_redis_url_means_no_server_was_named(self):
        assert settings().redis_url is None
        assert settings().queue_redis_url is None

    def test_the_queue_is_on_the_server_of_the_games_by_default(self):
        both = settings(REDIS_URL="redis://store:6379/0")
        apart = settings(REDIS_URL="redis://store:6379/0", QUEUE_REDIS_URL="redis://queue:6379/1")

        assert both.queue_redis_url == "redis://store:6379/0"
        assert apart.queue_redis_url == "redis://queue:6379/1"

    def test_a_variable_set_to_nothing_counts_as_not_set(self):
        assert settings(PORT="", BIND=" ", REDIS_URL="", DATA_DIR="") == settings()

    def test_there_are_two_api_processes_even_on_one_core(self):
        assert 2 <= settings().api_processes <= 4


class TestValues:
    def test_a_data_folder_becomes_absolute_and_home_is_understood(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))

        assert settings(DATA_DIR="~/my games").data_dir == tmp_path / "my games"
        assert settings(DATA_DIR="games").data_dir.is_absolute()

    @pytest.mark.parametrize(
        "given, bound",
        [("192.0.2.7", "192.0.2.7"), ("::1", "::1"), ("[::1]", "::1"), ("rummy.example", "rummy.example")],
    )
    def test_an_address_or_a_host_name_may_be_bound(self, given, bound):
        assert settings(BIND=given).bind == bound

    @pytest.mark.parametrize("given, factor", [("", 1.0), ("0", 0.0), ("0.25", 0.25), ("100", 100.0)])
    def test_limits_may_be_raised_lowered_and_switched_off(self, given, factor):
        assert settings(RATE_LIMITS=given).rate_limits == factor

    def test_a_log_is_text_at_the_level_of_its_process_by_default(self):
        assert (settings().log_format, settings().log_level) == ("text", None)
        given = settings(LOG_FORMAT="json", LOG_LEVEL="debug")
        assert (given.log_format, given.log_level) == ("json", "debug")

    def test_no_proxy_is_trusted_unless_named(self):
        assert (settings().trusted_proxies, settings(TRUSTED_PROXIES="2").trusted_proxies) == (0, 2)

    def test_port_0_is_any_free_port(self):
        assert settings(PORT="0").port == 0


class TestRefusals:
    @pytest.mark.parametrize("port", ["http", "-1", "65536", "8000.0", "8_000", "٨٠٠٠", "1" * 5000])
    def test_a_port_is_a_whole_number_in_range(self, port):
        with pytest.raises(SettingError, match=r"^PORT must be a whole number from 0 to 65535"):
            settings(PORT=port)

    @pytest.mark.parametrize("variable", ["API_PROCESSES", "API_THREADS"])
    def test_no_process_and_no_thread_at_all_is_refused(self, variable):
        with pytest.raises(SettingError, match=f"^{variable} must be a whole number from 1 to"):
            settings(**{variable: "0"})

    @pytest.mark.parametrize("bind", ["not a host", "http://127.0.0.1", "-x", "1.2.3.4:80"])
    def test_what_is_no_address_cannot_be_bound(self, bind):
        with pytest.raises(SettingError, match=r"^BIND must be an address"):
            settings(BIND=bind)

    @pytest.mark.parametrize("variable", ["REDIS_URL", "QUEUE_REDIS_URL"])
    @pytest.mark.parametrize(
        "url",
        [
            "localhost:6379",
            "http://:hunter2@store",
            "redis://:hunter2@",
            "redis://:hunter2@store:port",
            "redis://:hunter2@store:0",
            "redis://:hunter2@store:99999",
            "redis://[hunter2",
            "REDIS://:hunter2@store",
            "unix://",
        ],
    )
    def test_what_is_no_server_is_refused_without_repeating_its_password(self, variable, url):
        with pytest.raises(SettingError, match=f"^{variable} must look like redis://") as refused:
            settings(**{variable: url})

        assert "hunter2" not in str(refused.value)

    def test_the_error_names_the_variable_in_one_sentence(self):
        with pytest.raises(SettingError) as refused:
            settings(PORT="http")

        assert refused.value.variable == "PORT"
        assert str(refused.value) == "PORT must be a whole number from 0 to 65535, not 'http'."

    @pytest.mark.parametrize("factor", ["-1", "many", "1e3", "1,5", "99999", "0.00001", "nan", "٢"])
    def test_limits_are_scaled_by_a_plain_number(self, factor):
        with pytest.raises(SettingError, match=r"^RATE_LIMITS must be a number such as"):
            settings(RATE_LIMITS=factor)

    @pytest.mark.parametrize("variable", ["LOG_FORMAT", "LOG_LEVEL"])
    def test_a_log_is_one_of_those_there_are(self, variable):
        with pytest.raises(SettingError, match=f"^{variable} must be one of: .*, not 'loud'"):
            settings(**{variable: "loud"})

    def test_proxies_are_counted(self):
        with pytest.raises(SettingError, match=r"^TRUSTED_PROXIES must be a whole number from 0 to 16"):
            settings(TRUSTED_PROXIES="10.0.0.1")


class TestSecrets:
    @pytest.mark.parametrize(
        "url, shown",
        [
            ("redis://ana:hunter2@store:6380/2?x=hunter2", "redis://store:6380/2"),
            ("rediss://store", "rediss://store"),
            ("redis://:hunter2@[::1]:6379/0", "redis://[::1]:6379/0"),
            ("unix://ana:hunter2@/run/my%20games/valkey.sock?db=1", "unix:///run/my%20games/valkey.sock"),
        ],
    )
    def test_a_url_is_shown_without_user_password_and_query(self, url, shown):
        assert redact_url(url) == shown

    def test_settings_that_reach_a_log_hold_no_password(self):
        assert "hunter2" not in repr(settings(REDIS_URL="redis://:hunter2@store:6379/0"))
