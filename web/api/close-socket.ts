/** Closes a socket; one that is still being opened as soon as it is, since a browser takes anything earlier for a fault. */
export function closeSocket(socket: WebSocket): void {
  if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
  else socket.close();
}
