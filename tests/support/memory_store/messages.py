"""Messages in memory."""

from service.store.messages import MessageListener

Listeners = list[MessageListener]
"""All listeners."""


class MemoryMessageStore:
    """Passes messages on at once."""

    _message_listeners: Listeners

    def send_message(self, game_id: str, body: bytes) -> None:
        for on_message in tuple(self._message_listeners):
            on_message([(game_id, body)])

    def listen_to_messages(self, on_message: MessageListener) -> None:
        if on_message not in self._message_listeners:
            self._message_listeners.append(on_message)
