import type { RedisConnection, RedisStream } from './redis-client.ts'

const held = new WeakSet<RedisStream>()

/**
 * Let the commands of this turn go out in one write of the socket: ioredis writes each by itself, and a write
 * costs the client more than all else of a command. They leave before the turn ends.
 */
export function inOneWrite({ stream }: RedisConnection): void {
  if (stream === undefined || held.has(stream)) return
  held.add(stream)
  stream.cork()
  process.nextTick(() => {
    held.delete(stream)
    stream.uncork()
  })
}
