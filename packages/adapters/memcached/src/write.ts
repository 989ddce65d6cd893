import {
  type Bytes,
  type CallOptions,
  type ConditionFailed,
  type DeleteMutation,
  type Mutation,
  type SetMutation,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { encodeRecord, notARecord } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import type { Command } from './client/frames.ts'
import { exptimeFlag } from './exptime.ts'
import { type Dataset, type Found, look } from './records.ts'
import { wireKey } from './wire-key.ts'

/** When others came between that often, this one gives up. */
const maxRounds = 64

/** The target of a mutation. */
interface Target {
  readonly dataset: Dataset
  /** The key on the wire. */
  readonly key: string
  readonly call: CallOptions
}

/** Mutations: those without a condition in one command each, all of them together. Never rejects. */
export function writeAll(
  dataset: Dataset,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  return mutations.every(isPlain)
    ? writePlain(dataset, mutations, call)
    : writeMixed(dataset, mutations, call)
}

async function writeMixed(
  dataset: Dataset,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const plain = mutations.filter(isPlain)
  const done = plain.length === 0 ? [] : writePlain(dataset, plain, call)
  const bound = mutations.filter((mutation) => !isPlain(mutation))
  const others = (await Promise.all(bound.map((mutation) => writeOne(dataset, mutation, call)))).values()
  const results = (await done).values()
  return mutations.map((mutation) => (isPlain(mutation) ? results : others).next().value as WriteResult)
}

/** A mutation that one command does, over any item. */
type Plain = DeleteMutation | (SetMutation<Bytes> & { readonly expiresAt?: number | undefined })

function isPlain(mutation: Mutation<Bytes>): mutation is Plain {
  const { type, ifVersion } = mutation
  return ifVersion === undefined && (type === 'delete' || (type === 'set' && mutation.expiresAt !== 'keep'))
}

function writePlain(
  dataset: Dataset,
  mutations: readonly Plain[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const keys = mutations.map(({ key }) => wireKey(dataset.mark.prefix, key))
  const commands = mutations.map((mutation, i) =>
    mutation.type === 'delete'
      ? { line: `md ${keys[i]} b`, replies: 'HD NF' }
      : storing(dataset, keys[i] as string, mutation, mutation.expiresAt, ''),
  )
  return dataset.client
    .askAll(keys, commands, call, true)
    .then((answers) =>
      answers.map((answer, i) => (isError(answer) ? answer : { version: (mutations[i] as Plain).version })),
    )
}

async function writeOne(
  dataset: Dataset,
  mutation: Mutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const target = { dataset, key: wireKey(dataset.mark.prefix, mutation.key), call }
  try {
    if (mutation.type === 'set') return await set(target, mutation)
    if (mutation.type === 'delete') return await remove(target, mutation)
    throw new StoreError('UNSUPPORTED', 'memcached cannot do this atomically and keep the record header.')
  } catch (error) {
    return toStoreError(error, {})
  }
}

async function set(target: Target, mutation: SetMutation<Bytes>): Promise<WriteResult> {
  const { version, ifVersion, expiresAt } = mutation
  // Mostly there is nothing: then that is all.
  if (ifVersion === null && (await store(target, mutation, newExpiry(mutation), ' ME'))) return { version }
  return bound(target, mutation, ({ live, cas }) => {
    const kept = expiresAt === 'keep' ? live?.expiresAt : expiresAt
    return store(target, mutation, kept, cas === undefined ? ' ME' : ` C${cas}`)
  })
}

function remove(target: Target, mutation: DeleteMutation): Promise<WriteResult> {
  return bound(target, mutation, async ({ live, cas }) => {
    if (live === undefined) return true
    const command = { line: `md ${target.key} b C${cas}`, replies: 'HD EX NF' }
    return isDone(await target.dataset.client.ask(target.key, command, target.call, true))
  })
}

/**
 * Look at the record, and change it only if it still is what was seen: the server compares the token that it gives to
 * every change of an item. A change that comes between makes this one look again.
 */
async function bound(
  target: Target,
  { version, ifVersion }: SetMutation<Bytes> | DeleteMutation,
  change: (found: Found) => Promise<boolean>,
): Promise<WriteResult> {
  for (let round = 0; round < maxRounds; round++) {
    const found = await look(target.dataset, target.key, target.call)
    if (ifVersion !== undefined) {
      if (found.isForeign) throw notARecord()
      const present = found.live?.version
      if (ifVersion !== (present ?? null)) return conditionFailed(present)
    }
    if (await change(found)) return { version }
  }
  throw new StoreError(
    'OVERLOADED',
    'Other writers kept changing the record; nothing was changed. Try again later.',
  )
}

/** Store the record; `false`: the mode or token of `how` did not hold. */
async function store(
  { dataset, key, call }: Target,
  mutation: SetMutation<Bytes>,
  expiresAt: number | undefined,
  how: string,
): Promise<boolean> {
  return isDone(await dataset.client.ask(key, storing(dataset, key, mutation, expiresAt, how), call, true))
}

function storing(
  { mark, clock }: Dataset,
  key: string,
  { value, version }: SetMutation<Bytes>,
  expiresAt: number | undefined,
  how: string,
): Command {
  const data = encodeRecord(value, version, expiresAt)
  const expiry = expiresAt === undefined ? '' : exptimeFlag(expiresAt, clock())
  return {
    line: `ms ${key} ${data.length} b F${mark.flags}${expiry}${how}`,
    data,
    replies: how === '' ? 'HD' : 'HD NS EX NF',
  }
}

function isDone({ line }: { readonly line: string }): boolean {
  return line.startsWith('HD')
}

/** The expiry of a record that replaces none. */
function newExpiry({ expiresAt }: SetMutation<Bytes>): number | undefined {
  return expiresAt === 'keep' ? undefined : expiresAt
}

function conditionFailed(version: string | undefined): ConditionFailed {
  return { conditionFailed: true, version }
}
