"""Messages in Redis: one short stream for all games, which the change notifier reads."""

from service.store.messages import MAX_MESSAGES, MessageListener, MessageStore
from service.store.redis import keys
from service.store.redis.change_notifier import ChangeNotifier
from service.store.redis.connection import Connection


class RedisMessageStore(MessageStore):
    """Passes messages on."""

    _redis: Connection
    notifier: ChangeNotifier

    def send_message(self, game_id: str, body: bytes) -> None:
        self._redis.call("XADD", keys.MESSAGES, "MAXLEN", "~", MAX_MESSAGES, "*", "g", game_id, "b", body)

    def listen_to_messages(self, on_message: MessageListener) -> None:
        self.notifier.listen_to_messages(on_message)
