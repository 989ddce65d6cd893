import { listLength, newest } from '../newest.ts'
import type { Observation } from '../observation.ts'
import type { NativeHistories, NativeTable } from './native-table.ts'

/** The methods of ioredis in use. */
interface Client {
  lpush(key: string, ...values: readonly string[]): Promise<unknown>
  ltrim(key: string, first: number, last: number): Promise<unknown>
  lrange(key: string, first: number, last: number): Promise<readonly string[]>
  sadd(key: string, ...members: readonly string[]): Promise<unknown>
  spop(key: string, count: number): Promise<readonly string[]>
  unlink(...keys: readonly string[]): Promise<unknown>
}

/** A list for each patient, the newest observation first; those of late are kept. */
export function redis(native: unknown, { name }: NativeTable): NativeHistories {
  const client = native as Client
  const listOf = (patient: string): string => `${name}:${patient}`
  const all = `${name}:all`
  const push = async (patient: string, some: readonly Observation[]): Promise<void> => {
    const texts = some.map((one) => JSON.stringify(one)).reverse()
    await Promise.all([
      client.lpush(listOf(patient), ...texts),
      client.ltrim(listOf(patient), 0, listLength - 1),
      client.sadd(all, listOf(patient)),
    ])
  }
  return {
    prepare: () => Promise.resolve(),
    async load(histories) {
      await Promise.all(
        histories.flatMap(([patient, some]) => (some.length === 0 ? [] : [push(patient, newest(some))])),
      )
    },
    add: (patient, one) => push(patient, [one]),
    async recent(patient, count) {
      const found = await client.lrange(listOf(patient), 0, count - 1)
      return found.map((text) => JSON.parse(text) as Observation)
    },
    async remove() {
      for (;;) {
        const keys = await client.spop(all, 500)
        if (keys.length === 0) return
        await client.unlink(...keys)
      }
    },
  }
}
