import {
  type Bytes,
  type Entry,
  isConditionFailed,
  isEntry,
  isStoreError,
  type Mutation,
  newVersion,
  StoreError,
} from '@unikv/core'
import { keyBytes } from '@unikv/core/adapter'
import { compareRecords, type Found, type Verdict } from './same-record.ts'
import type { Side } from './side.ts'

/** Rounds before a repair leaves a key that others keep writing to for later. */
const maxRounds = 4

/** Both stores, and how exact their expiries are. */
export interface Pair {
  readonly primary: Side
  readonly secondary: Side
  readonly precisionMs: number
}

/**
 * Make the secondary equal to the primary for one key. It looks at the secondary *before* it reads the primary, and
 * writes on condition that the secondary still has the version that was seen: so a newer write that was mirrored meanwhile
 * wins. Where no condition can tell (no record, the same version, or none checked) the primary is looked at once more.
 *
 * @throws {StoreError} if a side cannot be asked, or the secondary refuses the record
 */
export async function repair(key: string, pair: Pair): Promise<void> {
  const { primary, secondary } = pair
  checkKey(key, secondary)
  for (let round = 0; round < maxRounds; round++) {
    const there = await secondary.readOne({ key, head: true })
    const wanted = await readWanted(key, there, pair)
    if (wanted === 'same') return
    const mutation = mutationOf(key, wanted, there, secondary)
    const [result] = await secondary.write([mutation])
    if (isStoreError(result)) throw result
    if (result !== undefined && isConditionFailed(result)) continue
    const isProtected = typeof mutation.ifVersion === 'string' && mutation.ifVersion !== wanted?.version
    if (isProtected || (await stillHas(primary, key, wanted, pair.precisionMs))) return
  }
  throw new StoreError('OVERLOADED', 'Other writers kept changing the key; the repair will be retried.')
}

/** The record of the primary, unless the secondary has the same. */
async function readWanted(key: string, there: Found, pair: Pair): Promise<Entry<Bytes> | undefined | 'same'> {
  const { primary, precisionMs } = pair
  const version = primary.store.capabilities.conditionalRead ? there?.version : undefined
  let here: Found = await primary.readOne({ key, ifNotVersion: version })
  let verdict: Verdict = compareRecords(here, there, precisionMs)
  if (verdict === 'same') return 'same'
  // The version is the same, but not the expiry.
  if (here !== undefined && !isEntry(here)) here = await primary.readOne({ key })
  if (here !== undefined && !isEntry(here))
    throw new StoreError('CORRUPT', `${primary.store.name} did not return the value of a record.`)
  if (verdict === 'values needed') {
    verdict = compareRecords(here, await pair.secondary.readOne({ key }), precisionMs)
    if (verdict === 'same') return 'same'
  }
  return here
}

function mutationOf(
  key: string,
  wanted: Entry<Bytes> | undefined,
  there: Found,
  { store }: Side,
): Mutation<Bytes> {
  const { conditionalWrite, ttl } = store.capabilities
  // Foreign bytes have no version that a condition could name.
  const isKnown = there === undefined || there.version !== undefined
  const ifVersion = conditionalWrite && isKnown ? (there?.version ?? null) : undefined
  if (wanted === undefined) return { type: 'delete', key, version: newVersion(), ifVersion }
  const { value, version = newVersion(), expiresAt } = wanted
  if (expiresAt === undefined || ttl !== false)
    return { type: 'set', key, value, version, expiresAt, ifVersion }
  const message = `${store.name} cannot expire records, and this record has an expiry. It is not mirrored.`
  throw new StoreError('UNSUPPORTED', message, { store: store.name })
}

async function stillHas(primary: Side, key: string, record: Found, precisionMs: number): Promise<boolean> {
  const verdict = compareRecords(await primary.readOne({ key, head: true }), record, precisionMs)
  if (verdict !== 'values needed') return verdict === 'same'
  return compareRecords(await primary.readOne({ key }), record, precisionMs) === 'same'
}

function checkKey(key: string, { store }: Side): void {
  const { maxKeyBytes } = store.capabilities
  if (key.length * 3 <= maxKeyBytes || keyBytes(key) <= maxKeyBytes) return
  const message = `The key is longer than the ${maxKeyBytes} bytes that ${store.name} allows. It is not mirrored.`
  throw new StoreError('KEY_TOO_LONG', message, { store: store.name })
}
