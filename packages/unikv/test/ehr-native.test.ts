import type { OwnContext } from '@unikv/bench'
import { ehr } from '@unikv/bench/engine'
import { type Bytes, type KeyValue, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { open } from '@unikv/stores/lazy'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'

const patients = 40
const keyOf = (i: number): string => `patient${i}`
const miss = Symbol.for('unikv.miss')
const stale = Symbol.for('unikv.stale')
const workload = ehr({ patients, style: 'native' })
const { recent, observe, chart } = workload.operations ?? {}

interface Chart {
  readonly patient: {
    readonly id: string
    readonly address: readonly { readonly use: string }[]
    readonly telecom: readonly object[]
  }
  readonly observations: readonly unknown[]
}

function placeOf(kv: KeyValue<string, Bytes>): Parameters<NonNullable<typeof workload.setup>>[0] {
  const signal = new AbortController().signal
  return { store: 'here', kv, keyOf, records: patients, firstRecord: 0, signal }
}

/** As the generator does: with a state of a caller, on a patient. */
async function done(
  kv: KeyValue<string, Bytes>,
  operation: typeof recent,
  patient: number,
): Promise<unknown> {
  const state = await workload.state?.({ index: 0, kv, random: Math.random })
  const context = {
    kv,
    keyOf,
    draw: () => patient,
    random: Math.random,
    miss,
    stale,
  } as unknown as OwnContext
  return operation?.run(context, state as NonNullable<typeof state>)
}

for (const kind of ['redis', 'postgres', 'mariadb', 'mongodb', 'cassandra'] as const)
  describeWith(kind, (url) => {
    test('native histories give the five most recent observations, and leave nothing behind', async () => {
      const store: Store<Bytes> = await open(url, { dataset: 'unikv_ehr_test' })
      const kv: KeyValue<string, Bytes> = keyValue(store).namespace('ehr')
      const place = placeOf(kv)
      try {
        await workload.setup?.(place)
        const before = await Promise.all(Array.from({ length: patients }, (_, i) => done(kv, recent, i)))
        const counts = before.map((found) => (found === miss ? 0 : (found as readonly unknown[]).length))
        expect(Math.max(...counts)).toBe(5)
        const [patient] = [...counts.keys()].filter((i) => counts[i] === 5) as [number]
        await done(kv, observe, patient)
        const after = (await done(kv, recent, patient)) as readonly { readonly effectiveDateTime: string }[]
        // The new one is of now, and the first ones are of the year 2024.
        expect(after.map(({ effectiveDateTime }) => effectiveDateTime.slice(0, 4) > '2024')).toEqual([
          true,
          false,
          false,
          false,
          false,
        ])
        expect(after.slice(1)).toEqual((before[patient] as readonly unknown[]).slice(0, 4))
        for (const [i, count] of counts.entries()) {
          const whole = (await done(kv, chart, i)) as Chart
          expect(whole.patient.id).toBe(keyOf(i))
          expect([whole.patient.address[0]?.use, whole.patient.telecom.length > 0]).toEqual(['home', true])
          expect(whole.observations.slice(0, 5)).toEqual(
            i === patient ? after : before[i] === miss ? [] : before[i],
          )
          if (count < 5) expect(whole.observations.length).toBe(count)
        }
        await workload.teardown?.(place)
        // A table that is gone gives an error, a list that is gone no observation.
        const other = counts.findIndex((count, i) => count > 0 && i !== patient)
        expect(await done(kv, recent, other).catch(() => miss)).toBe(miss)
        // One that was written is missed.
        expect(await done(kv, recent, patient).catch(() => stale)).toBe(stale)
      } finally {
        await workload.teardown?.(place)
        await kv.delete('native table')
        await store.close()
      }
    })
  })

test('a store without statements of its own is refused', async () => {
  const place = placeOf(keyValue(memory()) as KeyValue<string, Bytes>)
  await expect(async () => workload.setup?.(place)).rejects.toThrow(
    "ehr({ style: 'native' }) has no statements for memory; it has some for cassandra, mongodb, mysql, postgres, redis.",
  )
})
