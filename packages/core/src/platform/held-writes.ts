import { atTickEnd } from './timers.ts'

/** A socket, or anything else that may keep what is written to it for a while. */
export interface Corkable {
  /** Keep what is written from now on. */
  cork(): void
  /** Send it. */
  uncork(): void
}

/** Sockets that keep what is written to them until this tick ends. */
const held: Corkable[] = []

/**
 * Have what is written to a socket in this tick leave when the tick ends, in one system call. Each takes about as long as
 * the rest of a small command. Written data leaves, also after `end`, but not after `destroy`: call `letGo` before.
 */
export function hold(socket: Corkable): void {
  if (held.includes(socket)) return
  socket.cork()
  if (held.push(socket) === 1) atTickEnd(letAllGo)
}

/** Have it leave now, so that the server begins while this process works on. */
export function letGo(socket: Corkable): void {
  const place = held.indexOf(socket)
  if (place === -1) return
  held.splice(place, 1)
  socket.uncork()
}

function letAllGo(): void {
  for (const socket of held.splice(0)) socket.uncork()
}
