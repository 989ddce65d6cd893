import { type Corkable, hold, letGo } from '@unikv/core/adapter'
import type { RedisConnection, RedisStream } from './redis-client.ts'

/** A command of so many items leaves at once, so that its server begins while the rest of the tick is worked on. */
const many = 8
/** Sockets whose last command had many items. The next command leaves at once too, to wake the server for its like. */
const busy = new WeakSet<RedisStream>()

/** Have a command for so many items leave with the others of this tick. The client of node-redis does so by itself. */
export function gather({ stream }: RedisConnection, items: number): void {
  if (stream?.cork === undefined) return
  if (items >= many) {
    busy.add(stream)
    letGo(stream as Corkable)
  } else if (!busy.delete(stream)) hold(stream as Corkable)
}

/** Close a connection that is of no use; its callers are told. Commands that were sent have left before. */
export function giveUp(stream: RedisStream | undefined, reason: string): void {
  if (stream?.cork !== undefined) letGo(stream as Corkable)
  stream?.destroy(new Error(reason))
}
