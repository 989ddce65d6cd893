import { type CallOptions, type NotModified, type Read, type ReadResult, toStoreError } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Backend } from './backend.ts'
import type { Row } from './client/answers.ts'
import { type CouchDocument, entryOf, isLiveAt, type Known, knownOf } from './document.ts'
import { documentId } from './document-id.ts'

/** Requests of one call that are under way at the same time. */
const lanes = 8

/** Read keys: whole records by one request, the others one by one, so that no known value travels. */
export async function read<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const results: ReadResult<V>[] = reads.map(() => undefined)
  const whole: number[] = []
  const single: number[] = []
  for (let i = 0; i < reads.length; i++) (isWhole(reads[i] as Read) ? whole : single).push(i)
  const one = async (i: number): Promise<void> => {
    results[i] = await readOne(backend, reads[i] as Read, call).catch((error: unknown) =>
      toStoreError(error, {}),
    )
  }
  if (whole.length === 1) single.push(whole.pop() as number)
  const many = whole.length === 0 ? undefined : readMany(backend, reads, whole, results, call)
  await inParallel(single, lanes, one)
  await many
  return results
}

function isWhole({ head, ifNotVersion }: Read): boolean {
  return head !== true && ifNotVersion === undefined
}

async function readMany<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  places: readonly number[],
  results: ReadResult<V>[],
  call: CallOptions,
): Promise<void> {
  const ids = places.map((i) => documentId((reads[i] as Read).key))
  try {
    const rows = await backend.couch.rows(ids, true, call)
    places.forEach((place, n) => {
      results[place] = resultOf(backend, (rows[n] as Row).doc ?? undefined)
    })
  } catch (error) {
    for (const place of places) results[place] = toStoreError(error, {})
  }
}

async function readOne<V>(backend: Backend<V>, read: Read, call: CallOptions): Promise<ReadResult<V>> {
  const { couch, revisions } = backend
  const id = documentId(read.key)
  if (isWhole(read)) return resultOf(backend, await wholeOf(backend, id, call))
  const known = revisions.get(id)
  if (known !== undefined && isWanted(read, known)) {
    const document = await couch.document(id, call, known.rev)
    return document === 'known' ? withoutValue(known) : resultOf(backend, document)
  }
  const head = await couch.head(id, call)
  const found = head && knownOf(head)
  if (head === undefined || found === undefined || !isWanted(read, found))
    return resultOf(backend, head && (await wholeOf(backend, id, call)))
  if (isLiveAt(found, wallClock())) revisions.set(id, found)
  else backend.expired.met(head._id, head._rev)
  return withoutValue(found)
}

/** Whether this version need not travel. */
function isWanted({ head, ifNotVersion }: Read, { version }: Known): boolean {
  return head === true || version === ifNotVersion
}

function withoutValue(known: Known): NotModified | undefined {
  const { version, expiresAt } = known
  return isLiveAt(known, wallClock()) ? { notModified: true, version, expiresAt } : undefined
}

async function wholeOf<V>(
  { couch }: Backend<V>,
  id: string,
  call: CallOptions,
): Promise<CouchDocument | undefined> {
  return (await couch.document(id, call)) as CouchDocument | undefined // no revision was given to be known
}

/** The entry of a document, or an error if it makes no sense; remembers its revision, and removes what has expired. */
export function resultOf<V>(backend: Backend<V>, document: CouchDocument | undefined): ReadResult<V> {
  if (document === undefined) return undefined
  try {
    const entry = entryOf(document, backend.form)
    if (!isLiveAt(entry, wallClock())) {
      backend.expired.met(document._id, document._rev)
      return undefined
    }
    backend.revisions.set(document._id, knownOf(document) as Known)
    return entry
  } catch (error) {
    return toStoreError(error, { code: 'CORRUPT' })
  }
}
