import {
  type CallOptions,
  isStoreError,
  type Mutation,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import { oddAnswer } from '@unikv/core/http-client'
import type { Backend } from './backend.ts'
import type { Outcome } from './client/answers.ts'
import { knownOf } from './document.ts'
import { itemError } from './errors.ts'
import { Item } from './write-item.ts'

/** Requests of one call that are under way at the same time. */
const lanes = 8

/**
 * Write keys. Every change is bound to the revision of the document as it was last seen, and all go in one request,
 * with an outcome for each. A change that lost a race was certainly not applied: it is looked at again, and goes again or is
 * refused, within the deadline.
 */
export async function write<V>(
  backend: Backend<V>,
  mutations: readonly Mutation<V>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  const items = mutations.map((mutation) => new Item(backend, mutation))
  let pending = items.filter(isOpen)
  while (pending.length > 0) {
    await look(
      backend,
      pending.filter(({ mustLook }) => mustLook),
      call,
    )
    for (const item of pending) item.result ??= item.decide()
    await send(backend, pending.filter(isOpen), call)
    pending = pending.filter(isOpen)
    // The server has refused the items that still wait: none of them is on its way.
    if (items.length === 1) call.sent = false
  }
  return items.map(({ result }) => result as WriteResult)
}

function isOpen({ result }: { readonly result: unknown }): boolean {
  return result === undefined
}

/** Find out what is there now. Unconditional changes need the revision alone. */
async function look<V>(backend: Backend<V>, items: readonly Item<V>[], call: CallOptions): Promise<void> {
  const plain = items.filter(({ needsRevisionOnly }) => needsRevisionOnly)
  const others = items.filter(({ needsRevisionOnly }) => !needsRevisionOnly)
  await Promise.all([
    plain.length > 0 && lookAtRevisions(backend, plain, call),
    inParallel(others, lanes, (item) => lookAtOne(backend, item, call)),
  ])
}

async function lookAtRevisions<V>(
  { couch }: Backend<V>,
  items: readonly Item<V>[],
  call: CallOptions,
): Promise<void> {
  try {
    const rows = await couch.rows(
      items.map(({ id }) => id),
      false,
      call,
    )
    items.forEach((item, i) => {
      const { value } = rows[i] as (typeof rows)[number]
      item.state = value === undefined || value.deleted === true ? 'absent' : { rev: value.rev }
      item.isFresh = true
    })
  } catch (error) {
    for (const item of items) item.result = toStoreError(error, {})
  }
}

async function lookAtOne<V>({ couch }: Backend<V>, item: Item<V>, call: CallOptions): Promise<void> {
  try {
    const document = await couch.head(item.id, call)
    item.state = document === undefined ? 'absent' : (knownOf(document) ?? { rev: document._rev })
    item.isFresh = true
  } catch (error) {
    item.result = toStoreError(error, {})
  }
}

async function send<V>(backend: Backend<V>, items: readonly Item<V>[], call: CallOptions): Promise<void> {
  if (items.length === 0) return
  try {
    const documents = items.map((item) => item.text())
    const outcomes = await backend.couch.write(documents, call)
    items.forEach((item, i) => settle(backend, item, outcomes[i] as Outcome))
  } catch (error) {
    const failure = toStoreError(error, {})
    // One document spoils the request: find out which.
    if (items.length > 1 && aboutOneValue.has(failure.code))
      for (const item of items) await send(backend, [item], call)
    else for (const item of items) fail(backend, item, failure)
  }
}

const aboutOneValue: ReadonlySet<string> = new Set(['INVALID_VALUE', 'VALUE_TOO_LARGE'])

function settle<V>(backend: Backend<V>, item: Item<V>, { id, error, rev, accepted }: Outcome): void {
  if (id !== item.id) return fail(backend, item, oddAnswer('The server', 'CouchDB', true))
  if (error === 'conflict') {
    backend.revisions.forget(item.id)
    item.state = undefined
    item.isFresh = false
    item.hasLostRace = true
    return
  }
  if (typeof error === 'string') return fail(backend, item, itemError(error))
  // Some copy has it, which all but conditions and the promise of several copies ask for.
  const needsQuorum = backend.isReplicated || item.mutation.ifVersion !== undefined
  if (accepted === true && needsQuorum) return fail(backend, item, outvoted())
  const { type, version } = item.mutation
  if (type === 'set' && rev !== undefined)
    backend.revisions.set(item.id, { rev, version, expiresAt: item.sentExpiry })
  else backend.revisions.forget(item.id)
  item.result = { version }
}

function fail<V>({ revisions }: Backend<V>, item: Item<V>, error: StoreError): void {
  revisions.forget(item.id)
  item.result = isStoreError(error) ? error : toStoreError(error, {})
}

function outvoted(): StoreError {
  return new StoreError(
    'OUTCOME_UNKNOWN',
    'Fewer copies than the quorum accepted the write, so another write may replace it. Read the key to find out.',
  )
}
