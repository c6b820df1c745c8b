/**
 * Most bytes that a WebSocket may have been sent and not have taken. Writers wait long before (`SocketConnection.send`); what passes this bound is sent
 * without waiting, such as answers to frames of a client that never reads. It is closed with 1013.
 */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
