import { isLive } from '@unikv/core'
import { isRecord, recordExpiresAt } from '@unikv/core/adapter'
import type { LmdbDatabase } from './client/lmdb-client.ts'

/** More are forgotten until they are met again. */
const most = 1_000

/** Expired records that were met: they go with the next write, as a transaction of their own would cost a flush. */
export class Expired {
  #keys = new Set<string>()

  get isEmpty(): boolean {
    return this.#keys.size === 0
  }

  add(key: string): void {
    if (this.#keys.size < most) this.#keys.add(key)
  }

  /** Remove them, inside a write transaction: those that are expired still. */
  remove(database: LmdbDatabase, now: number): void {
    if (this.isEmpty) return
    const keys = this.#keys
    this.#keys = new Set()
    for (const key of keys) {
      const there = database.getBinary(key)
      if (there !== undefined && isExpired(there, now)) void database.remove(key)
    }
  }
}

/** Remove expired records of the whole dataset, inside a write transaction: when there is no room without. */
export function removeExpired(database: LmdbDatabase, now: number): void {
  const keys: Buffer[] = []
  for (const { key, value } of database.getRange({})) if (isExpired(value, now)) keys.push(Buffer.from(key))
  for (const key of keys) void database.remove(key)
}

/** Not so what is damaged: to read it says what is wrong. */
function isExpired(value: Buffer, now: number): boolean {
  return isRecord(value) && !isLive(recordExpiresAt(value), now)
}
