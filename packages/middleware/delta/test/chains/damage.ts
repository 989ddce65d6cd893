import type { Bytes, Entry } from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import type { Random } from '@unikv/test-kit/schedules'
import { varint } from '../../src/chain/fields.ts'
import { type ChainHead, readHead } from '../../src/chain/head.ts'
import { partsOf as namedParts, partNameOf, readDeltas, writeDeltas } from '../../src/chain/parts.ts'
import { type Chains, chainKey, otherKey, type Records } from './random-chain.ts'

/** Changes the last records of a key; `undefined` where there is nothing to be changed so. */
export type Damage = (chains: Chains, random: Random) => Records | undefined

/** What may happen to records, by name. */
export const damages: Readonly<Record<string, Damage>> = {
  'a part is dropped': (chains, random) => {
    const part = pick(partsOf(chains), random)
    return part === undefined ? undefined : changed(chains, part, undefined)
  },
  'a delta is dropped': deltasChanged((deltas, at) => deltas.toSpliced(at, 1)),
  'the last deltas are dropped': deltasChanged((deltas, at) => deltas.slice(0, at)),
  'a delta is duplicated': deltasChanged((deltas, at) => deltas.toSpliced(at, 0, deltas[at] as Bytes)),
  'two deltas change places': deltasChanged((deltas, at) => {
    const swapped = [...deltas]
    swapped[at] = deltas[0] as Bytes
    swapped[0] = deltas[at] as Bytes
    return swapped
  }),
  'two parts change places': (chains, random) => {
    const [a, b] = [pick(partsOf(chains), random), pick(partsOf(chains), random)]
    if (a === undefined || b === undefined) return undefined
    const records = last(chains)
    return new Map([...records, [a, records.get(b)], [b, records.get(a)]] as [string, Entry<Bytes>][])
  },
  'a part is one of another key': (chains, random) => {
    const [own, foreign] = [pick(partsOf(chains), random), pick(partsOf(chains, otherKey), random)]
    return own === undefined || foreign === undefined
      ? undefined
      : changed(chains, own, last(chains).get(foreign)?.value)
  },
  'a part is an earlier one of this key': (chains, random) => {
    const own = pick(partsOf(chains), random)
    const before = random.pick(chains.moments).records
    const earlier = pick(Array.from(before.keys()).filter(isOf(chainKey)), random)
    return own === undefined || earlier === undefined
      ? undefined
      : changed(chains, own, before.get(earlier)?.value)
  },
  'the base is another value': (chains, random) => {
    const records = last(chains)
    const base = partsOf(chains).find((key) => records.get(key)?.value[1] === 3)
    if (base === undefined) return undefined
    const value = Buffer.concat([
      Buffer.from((records.get(base)?.value ?? []).slice(0, 2)),
      random.pick(chains.moments).value,
    ])
    return changed(chains, base, value)
  },
  'the head is that of another key': (chains) => changed(chains, chainKey, last(chains).get(otherKey)?.value),
  'the parts are those of another time': (chains, random) => {
    const before = random.pick(chains.moments).records
    const heads = Array.from(last(chains)).filter(([key]) => isUserKey(key))
    return new Map([...Array.from(before).filter(([key]) => !isUserKey(key)), ...heads])
  },
  'a record is cut': recordChanged((value, random) => value.slice(0, random.below(value.length))),
  'a record is longer': recordChanged((value, random) =>
    Buffer.concat([value, Uint8Array.of(random.below(256))]),
  ),
  'a bit is flipped': recordChanged((value, random) => {
    const copy = new Uint8Array(value)
    const at = random.below(copy.length)
    copy[at] = (copy[at] as number) ^ (1 << random.below(8))
    return copy
  }),
  'a byte is another': recordChanged((value, random) => {
    const copy = new Uint8Array(value)
    copy[random.below(copy.length)] = random.below(256)
    return copy
  }),
  'a byte is gone': recordChanged((value, random) => {
    const at = random.below(value.length)
    return Buffer.concat([value.slice(0, at), value.slice(at + 1)])
  }),
}

/** An earlier head among the records of now. */
export function olderHead({ moments }: Chains, random: Random) {
  const moment = random.pick(moments)
  const head = moment.records.get(chainKey) as Entry<Bytes>
  const records = new Map([...(moments.at(-1)?.records ?? []), [chainKey, head]])
  return { moment, records }
}

/** Whether all records of the key are still as they were. */
export function areWhole(chains: Chains, records: Records): boolean {
  const before = last(chains)
  return [chainKey, ...partsOf(chains)].every((key) =>
    isSame(before.get(key)?.value, records.get(key)?.value),
  )
}

function isSame(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0
}

/** The records of a chain after its last write. */
function last({ moments }: Chains): Records {
  return moments.at(-1)?.records ?? new Map()
}

function isOf(owner: string) {
  return (key: string): boolean => partNameOf(key)?.owner === owner
}

/** The parts that the head of a key names. */
function partsOf(chains: Chains, owner: string = chainKey): string[] {
  const head = readHead(owner, last(chains).get(owner)?.value as Bytes)
  return head.kind === 'chain' ? namedParts(owner, head) : []
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items.length === 0 ? undefined : random.pick(items)
}

function changed(chains: Chains, key: string, value: Bytes | undefined): Records | undefined {
  const records = new Map(last(chains))
  const entry = records.get(key)
  if (value === undefined) records.delete(key)
  else if (entry === undefined) return undefined
  else records.set(key, { ...entry, value })
  return records
}

/** Any one record of the key, changed. */
function recordChanged(change: (value: Bytes, random: Random) => Bytes): Damage {
  return (chains, random) => {
    const key = random.pick([chainKey, ...partsOf(chains)])
    return changed(chains, key, change(last(chains).get(key)?.value as Bytes, random))
  }
}

/** The deltas in the head or in a record, changed, with all counts and lengths as they belong to them. */
function deltasChanged(change: (deltas: readonly Bytes[], at: number) => readonly Bytes[]): Damage {
  return (chains, random) => {
    const records = last(chains)
    const head = readHead(chainKey, records.get(chainKey)?.value as Bytes)
    if (head.kind === 'whole') return undefined
    const place = random.below(head.records.length + 1)
    if (place === head.records.length) {
      const { inline } = head
      if (inline.length === 0) return undefined
      return changed(
        chains,
        chainKey,
        withInline(records.get(chainKey)?.value as Bytes, head, change(inline, random.below(inline.length))),
      )
    }
    const { id } = head.records[place] as ChainHead['records'][number]
    const key = partsOf(chains).find((part) => partNameOf(part)?.id === id) as string
    const first = 1 + head.records.slice(0, place).reduce((sum, { deltas }) => sum + deltas, 0)
    const deltas = readDeltas(records.get(key)?.value as Bytes, { baseId: head.base.id, first })
    return changed(chains, key, writeDeltas(head.base.id, first, change(deltas, random.below(deltas.length))))
  }
}

/** The same head with other deltas in it: its count of them is right, its seal is that of before. */
function withInline(record: Bytes, { told, inline }: ChainHead, deltas: readonly Bytes[]): Bytes {
  const before = record.slice(0, 2 + 32 + told.length - varint(inline.length).length)
  return Buffer.concat([
    before,
    varint(deltas.length),
    ...deltas.flatMap((delta) => [varint(delta.length), delta]),
  ])
}
