import {
  type Bytes,
  isEntry,
  isStoreError,
  type Mutation,
  newVersion,
  type ReadResult,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'

/*
 * A lane is a set of records that are always written together, numbered: after any failure all of them must bear
 * the same number, and a counter beside them too.
 */

const slots = 8

/** Batch number `n` of a lane. */
export function batchOf(lane: string, n: number): Mutation<Bytes>[] {
  const sets = Array.from({ length: slots }, (_, slot): Mutation<Bytes> => {
    const value = Buffer.from(textOf(lane, slot, n))
    return { type: 'set', key: `${lane}/${slot}`, value, version: newVersion() }
  })
  return [...sets, { type: 'increment', key: `${lane}/count`, by: 1, initial: 0, version: newVersion() }]
}

/**
 * Write something else. A process that is killed in the last moment of a commit may leave it to the next writer to bring that to
 * light: what was not acknowledged may come late.
 */
export async function settle(store: Store<Bytes>): Promise<void> {
  await store.write(
    [{ type: 'set', key: 'settled', value: Buffer.from('1'), version: newVersion() }],
    callOptions(),
  )
}

/** The number that a lane bears. @throws if its records do not agree, or one is torn */
export async function numberOf(store: Store<Bytes>, lane: string): Promise<number> {
  const keys = [...Array.from({ length: slots }, (_, slot) => `${lane}/${slot}`), `${lane}/count`]
  const found = await store.read(
    keys.map((key) => ({ key })),
    callOptions(),
  )
  const texts = found.map(textIn)
  const count = Number(texts.at(-1) ?? 0)
  for (const [slot, text] of texts.slice(0, slots).entries()) {
    if (text === (count === 0 ? undefined : textOf(lane, slot, count))) continue
    throw new Error(`${lane}: slot ${slot} does not bear number ${count}: ${text?.slice(0, 40) ?? 'nothing'}`)
  }
  return count
}

/** From 20 bytes to some pages of the file. */
function textOf(lane: string, slot: number, n: number): string {
  const length = ((n * 7_919 + slot * 104_729) % 100) ** 2
  return `${n} ${lane} ${slot} ${'x'.repeat(length)}.`
}

function textIn(result: ReadResult<Bytes>): string | undefined {
  if (isStoreError(result)) throw result
  return isEntry(result) ? Buffer.from(result.value).toString() : undefined
}
