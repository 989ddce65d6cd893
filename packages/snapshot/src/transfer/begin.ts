import { isEntry, isNotModified, StoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'
import { keyPages } from '../places/pages.ts'
import { markKey, type Place } from '../places/place.ts'
import { retried, type Ways } from '../ways.ts'
import { type FoundMark, type Mark, newMark, readMark, resumedMark } from './mark.ts'
import { OwnMark } from './own-mark.ts'
import type { Source } from './source.ts'
import { callOf } from './writer.ts'

/** The permissions of the caller. */
export interface Allowed {
  readonly overwrite: boolean
  readonly resume: boolean
  readonly dropExpiry: boolean
}

/** A copy that may begin, or go on. */
export interface Begun {
  readonly mark: OwnMark
  readonly isResumed: boolean
}

/**
 * Check that the target can be filled, and mark it. Nothing but the mark is written.
 *
 * @throws {StoreError} `UNSUPPORTED` for a target that cannot hold the records, `INVALID_ARGUMENT` for one that is not to be filled
 */
export async function begin(source: Source, target: Place, allowed: Allowed, ways: Ways): Promise<Begun> {
  refuseUnlike(source, target, allowed)
  const found = await readMark(target, ways)
  if (allowed.resume && found !== undefined) {
    checkSame(found.mark, source, target, allowed)
    return { mark: await OwnMark.taken(target, ways, resumedMark(found.mark), found), isResumed: true }
  }
  if (!allowed.overwrite) await refuseFilled(target, found, allowed, ways)
  const { overwrite, dropExpiry } = allowed
  const mark = await OwnMark.taken(target, ways, newMark(source.identity, { overwrite, dropExpiry }), found)
  try {
    if (await isSamePlace(source, mark.value, ways)) throw samePlace(target)
  } catch (error) {
    // Nothing was copied: nothing is left.
    await mark.remove({ ...ways, signal: undefined }).catch(() => {})
    throw error
  }
  return { mark, isResumed: false }
}

function refuseUnlike(source: Source, { store }: Place, { dropExpiry }: Allowed): void {
  const { documents, ttl } = store.capabilities
  const form = (areDocuments: boolean): string => (areDocuments ? 'documents' : 'bytes')
  if (documents !== source.documents)
    throw unsupported(
      `The target holds ${form(documents)}, and ${source.name} ${form(source.documents)}. Records are copied as they are: open both alike.`,
      store.name,
    )
  if (source.expires && ttl === false && !dropExpiry)
    throw unsupported(
      `The target keeps records for ever, and those of ${source.name} may expire. Drop the expiry if they may stay.`,
      store.name,
    )
}

function checkSame(mark: Mark, source: Source, { store }: Place, { dropExpiry }: Allowed): void {
  if (mark.source !== source.identity)
    throw invalid(
      'The unfinished copy in the target has another source. Go on with that one, or overwrite.',
      store.name,
    )
  if ((mark.dropExpiry ?? false) !== dropExpiry)
    throw invalid(
      `The unfinished copy in the target ${dropExpiry ? 'keeps' : 'drops'} the expiry of records. Resume it with the options that it was begun with, or overwrite.`,
      store.name,
    )
}

async function refuseFilled(
  target: Place,
  found: FoundMark | undefined,
  { resume }: Allowed,
  ways: Ways,
): Promise<void> {
  const { name, capabilities } = target.store
  if (found !== undefined) throw unfinished(name)
  if (capabilities.scan === false)
    throw invalid(
      'The target cannot list its keys, so it may have records. Overwrite it if it is empty.',
      name,
    )
  for await (const _keys of keyPages(target, ways))
    throw invalid(
      resume
        ? 'The target holds no unfinished copy to resume, but it has records. Overwrite, or choose another target.'
        : 'The target has records already. Overwrite, or choose another target.',
      name,
    )
}

/** Two names may mean one place: then the source holds the mark that the target just got. */
async function isSamePlace({ store }: Source, { id }: Mark, ways: Ways): Promise<boolean> {
  if (store === undefined) return false
  const [found] = await retried(ways, async () => store.read([{ key: markKey }], callOf(ways)))
  return isEntry(found) && !isNotModified(found) && holds(found.value, id)
}

function holds(value: unknown, id: string): boolean {
  const text = isBytes(value) ? Buffer.from(value).toString() : JSON.stringify(value)
  return text.includes(id)
}

/** The error for a store that would be copied into itself. */
export function samePlace({ store }: Place): StoreError {
  return invalid('The source and the target are the same place.', store.name)
}

function unfinished(name: string): StoreError {
  return invalid('The target holds an unfinished copy. Resume it, or overwrite.', name)
}

function invalid(message: string, store: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message, { store, operation: 'copy' })
}

function unsupported(message: string, store: string): StoreError {
  return new StoreError('UNSUPPORTED', message, { store, operation: 'copy' })
}
