import { type Bytes, type CallOptions, type Mutation, StoreError, type WriteResult } from '@unikv/core'
import {
  encodeRecord,
  inParallel,
  knownVersionBytes,
  notARecord,
  recordExpiresAt,
  recordVersion,
  unanswered,
  versionBytes,
} from '@unikv/core/adapter'
import { base64, type Cell, type Columns, type Found, type Row } from './client/cells.ts'
import type { Ask } from './client/gateway.ts'
import type { Dataset } from './dataset.ts'
import { fetchOne, isHeader } from './read.ts'

type Change = Mutation<Bytes>

/** A mutation with what it stores, encoded when it came: what the caller does to the value later is not written. */
interface Pending {
  readonly change: Change
  readonly key: string
  /** The body in Base64; `undefined`: it stays as it is. */
  readonly body: string | undefined
}

/** Encode mutations. */
export function encodeWrite(dataset: Dataset, changes: readonly Change[]): readonly Pending[] {
  return changes.map((change) => ({
    change,
    key: dataset.rowOf(change.key).toString('base64'),
    body: bodyOf(change),
  }))
}

/** A deletion leaves its token, by which it is known again. */
function bodyOf(change: Change): string | undefined {
  if (change.type === 'set') return base64(change.value)
  return change.type === 'delete' ? base64(versionBytes(change.version)) : undefined
}

/** Write what was encoded: unconditional sets and deletes as one request, all others as one each. Never rejects. */
export function write(
  dataset: Dataset,
  pending: readonly Pending[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  // Nothing to write needs no request.
  const isOnePut = pending.length > 0 && pending.every(isPlain)
  return isOnePut ? putAll(dataset, pending, call) : writeMixed(dataset, pending, call)
}

async function writeMixed(
  dataset: Dataset,
  pending: readonly Pending[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const plain = pending.filter(isPlain)
  const others = pending.filter((one) => !isPlain(one))
  const [put, changed] = await Promise.all([
    plain.length === 0 ? [] : putAll(dataset, plain, call),
    inParallel(others, dataset.width, (one) =>
      changeOne(dataset, one, call).catch((error: StoreError) => error),
    ),
  ])
  const results = new Map<Pending, WriteResult>()
  for (const [i, one] of plain.entries()) results.set(one, put[i] as WriteResult)
  for (const [i, one] of others.entries()) results.set(one, changed[i] as WriteResult)
  return pending.map((one) => results.get(one) as WriteResult)
}

/** Whether a mutation looks at nothing. */
function isPlain({ change }: Pending): boolean {
  if (change.ifVersion !== undefined) return false
  return change.type === 'delete' || (change.type === 'set' && change.expiresAt !== 'keep')
}

/** One request for many rows. An error concerns all of them. */
function putAll(
  { gateway, columns }: Dataset,
  plain: readonly Pending[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const rows = plain.map(({ change, key, body }): Row => {
    return { key, Cell: cellsOf(columns, headerAfter(change, undefined), body) }
  })
  const ask: Ask = { method: 'PUT', path: '/row', body: { Row: rows }, isWrite: true, expected: [200] }
  return gateway.ask(call, ask).then(
    () => plain.map(({ change: { version } }) => ({ version })),
    (error: StoreError) => plain.map(() => error),
  )
}

/**
 * Change a record if it is what the mutation asks for. The header is what the region server compares, in the step that
 * writes; so first comes the header that is most likely there, and what does not hold is looked at and tried again.
 */
async function changeOne(dataset: Dataset, one: Pending, call: CallOptions): Promise<WriteResult> {
  const { change } = one
  const guess = likelyHeader(change)
  let tried = guess !== undefined
  if (guess !== undefined && (await putIf(dataset, one, { expected: guess, there: undefined }, call)))
    return { version: change.version }
  for (;;) {
    const found = await fetchOne(dataset, change.key, change.type !== 'delete', call).catch(
      (error: unknown) => {
        throw tried ? unanswered('HBase', true, error) : error
      },
    )
    const there = recordIn(dataset, found)
    // A gateway that got no answer from the region server asks again, and is refused for what it did itself: without this
    // look the refusal says nothing.
    if (tried && isOwn(change, there, found)) return { version: change.version }
    if (isRefused(change, there)) return { conditionFailed: true, version: there?.version }
    tried = true
    if (await putIf(dataset, one, { expected: found.header, there }, call))
      return { version: change.type === 'touch' ? there?.version : change.version }
  }
}

/** A live record. */
interface There {
  readonly version: string
  readonly expiresAt: number | undefined
}

const noHeader: Buffer = Buffer.alloc(0)

/** The header of a record without expiry, or of none, as the condition says; `undefined`: nothing is likely. */
function likelyHeader({ type, ifVersion }: Change): Buffer | undefined {
  if (ifVersion === null) return type === 'touch' ? undefined : noHeader
  if (ifVersion === undefined || knownVersionBytes(ifVersion).length === 0) return undefined
  return encodeRecord(noHeader, ifVersion, undefined)
}

/** @throws {StoreError} `CORRUPT` */
function recordIn({ clock }: Dataset, { header }: Found): There | undefined {
  if (header.length === 0) return undefined
  if (!isHeader(header)) throw notARecord()
  const expiresAt = recordExpiresAt(header)
  if (expiresAt !== undefined && expiresAt <= clock()) return undefined
  return { version: recordVersion(header), expiresAt }
}

function isOwn(change: Change, there: There | undefined, { header, body }: Found): boolean {
  if (change.type === 'set') return there?.version === change.version
  return change.type === 'delete' && header.length === 0 && body.equals(versionBytes(change.version))
}

function isRefused({ type, ifVersion }: Change, there: There | undefined): boolean {
  if (type === 'touch' && there === undefined) return true
  if (ifVersion === null) return there !== undefined
  return ifVersion !== undefined && there?.version !== ifVersion
}

/** Put the cells of a mutation if the header is the expected one. */
async function putIf(
  { gateway, columns }: Dataset,
  { change, key, body }: Pending,
  { expected, there }: { readonly expected: Buffer; readonly there: There | undefined },
  call: CallOptions,
): Promise<boolean> {
  const cells = cellsOf(columns, headerAfter(change, there), body)
  const Cell = [...cells, { column: columns.header, $: base64(expected) }]
  const { status } = await gateway.ask(call, {
    method: 'PUT',
    path: '/row?check=put',
    body: { Row: [{ key, Cell }] },
    isWrite: true,
    expected: [200, notHeld],
  })
  return status !== notHeld
}

/** The status of an answer to a condition that did not hold. */
const notHeld = 304

function cellsOf(columns: Columns, header: Buffer, body: string | undefined): readonly Cell[] {
  const cell = { column: columns.header, $: base64(header) }
  return body === undefined ? [cell] : [cell, { column: columns.body, $: body }]
}

/** The header that a mutation leaves. */
function headerAfter(change: Change, there: There | undefined): Buffer {
  const { type, version } = change
  if (type === 'delete') return noHeader
  if (type === 'increment') throw new StoreError('UNSUPPORTED', 'This store has no counters.')
  if (type === 'touch')
    return encodeRecord(noHeader, there?.version ?? change.ifVersion ?? version, change.expiresAt)
  const { expiresAt } = change
  return encodeRecord(noHeader, version, expiresAt === 'keep' ? there?.expiresAt : expiresAt)
}
