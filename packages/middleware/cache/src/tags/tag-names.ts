import { StoreError } from '@unikv/core'
import { stringBytes } from '../values/inspect.ts'

/** Most tags of an entry. */
export const maxTags = 64
/** Longest tag, in UTF-16 units. */
const maxTagLength = 512
/** Bytes of a tag besides its text: a string, and its place in the list. */
const tagBytes = 24
/** Bytes that an entry with tags needs beyond one without, besides its tags; measured on Node 20. */
const taggedBytes = 136

/** Whether this can be the tags of an entry. */
export function areTags(tags: unknown): tags is readonly string[] {
  return Array.isArray(tags) && tags.length <= maxTags && tags.every(isTag)
}

/**
 * Refuse what cannot be the tags of an entry.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkTags(tags: unknown): void {
  if (tags !== undefined && !areTags(tags))
    throw misfit(`tags must be an array of at most ${maxTags} strings of 1 to ${maxTagLength} characters.`)
}

/**
 * The tags of an invalidation, each once: a tag, or any number of them.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function tagsToInvalidate(tags: unknown): readonly string[] {
  const all = typeof tags === 'string' ? [tags] : isIterable(tags) ? Array.from(tags) : [undefined]
  if (!all.every(isTag))
    throw misfit(`Pass one or more tags: well-formed strings of 1 to ${maxTagLength} characters.`)
  return Array.from(new Set(all))
}

/** The error of an invalidation that nothing can be subject to. */
export function untagged(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'Nothing in this cache has tags. Give it tags: (key, value) => [...].',
  )
}

/** The bytes that tags add to an entry. */
export function bytesOfTags(tags: readonly string[] | undefined): number {
  return tags === undefined
    ? 0
    : tags.reduce((bytes, tag) => bytes + stringBytes(tag) + tagBytes, taggedBytes)
}

/** The key as the application knows it: without its namespaces. */
export function keyOf(canonical: string): string {
  const first = canonical.charCodeAt(0)
  if (first > 2) return canonical
  return first === 0 ? canonical : canonical.slice(canonical.indexOf('\u0002') + 1)
}

function isTag(tag: unknown): tag is string {
  return typeof tag === 'string' && tag !== '' && tag.length <= maxTagLength && tag.isWellFormed()
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function misfit(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
