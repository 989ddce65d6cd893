import { isPromise } from '@unikv/core'
import { heard } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { copyExactly, copyOf, copyTree, isRegular } from './copy.ts'
import { heapBytes, type Inspection, inspect } from './inspect.ts'

/**
 * How one cached value serves many readers.
 *
 * - `'freeze'`: plain objects and arrays are deep-frozen once, when they enter, and handed out by reference; what
 *   cannot be frozen (bytes, Date, Map, Set, class instances) is copied on each hit.
 * - `'copy'`: everything is copied on each hit.
 * - `'reference'`: everything is handed out as it is; readers must not change it.
 * - a function: copies in its way, when a value enters and on each hit.
 */
export type Share = 'freeze' | 'copy' | 'reference' | ((value: unknown) => unknown)

/** A value that many readers may have. */
export interface Shared {
  readonly value: unknown
  /** Makes the value of one reader; without it all get the same. */
  readonly copy: ((value: unknown) => unknown) | undefined
}

/** A value before it is shared: what it weighs, and the way to share it. */
export interface Sharable {
  /** Estimate in bytes, without the key. */
  readonly bytes: number
  /** `undefined` if it can be neither frozen nor copied. Existing holders of the value keep it as it is, or frozen. */
  readonly share: () => Shared | undefined
}

/** The options that decide about it, resolved. */
export interface SharingOptions {
  readonly share: Share
  readonly sizeOf: ((value: unknown) => number) | undefined
}

/** Weigh a value and find out how it can be shared. A value whose own code throws meanwhile cannot be. */
export function sharable(value: unknown, options: SharingOptions): Sharable {
  try {
    const { bytes, share } = sharableOf(value, options)
    return { bytes, share: () => attempt(share) }
  } catch {
    return { bytes: Number.MAX_SAFE_INTEGER, share: () => undefined }
  }
}

/** A copy, if the value can be copied truly, else the value itself. */
export function copied(value: unknown): unknown {
  try {
    const { kind, shared, objects } = inspect(value)
    return kind === 'opaque' ? value : copyOfAll(objects, shared)(value)
  } catch {
    return value
  }
}

function attempt(share: () => Shared | undefined): Shared | undefined {
  try {
    return share()
  } catch {
    return undefined
  }
}

function sharableOf(value: unknown, { share, sizeOf }: SharingOptions): Sharable {
  if (typeof value !== 'object' || value === null)
    return { bytes: bytesOf(value, sizeOf), share: () => sharePrimitive(value) }
  if (typeof share === 'function') {
    const copy = copyBy(share)
    return { bytes: bytesOf(value, sizeOf), share: () => ({ value: copy(value), copy }) }
  }
  if (share === 'reference')
    return { bytes: bytesOf(value, sizeOf), share: () => ({ value: exact(value), copy: undefined }) }
  const inspection = inspect(value)
  const bytes = sizeOf === undefined ? inspection.bytes : bytesOf(value, sizeOf)
  return { bytes, share: () => shareInspected(value, inspection, share) }
}

/** Bytes as KeyValue hands them out, which it would copy on each hit if they were a part of other memory or a Buffer. */
function exact(value: unknown): unknown {
  if (!isBytes(value)) return value
  const isExact = value.constructor === Uint8Array && value.byteLength === value.buffer.byteLength
  return isExact ? value : new Uint8Array(value)
}

/** The function of the application, whose copy is a value and not a promise of one. */
function copyBy(share: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => {
    const copy = heard(share(value))
    if (isPromise(copy) || copy === undefined) throw new TypeError('share must return a copy, not a promise.')
    return copy
  }
}

function sharePrimitive(value: unknown): Shared | undefined {
  return typeof value === 'function' ? undefined : { value, copy: undefined }
}

function shareInspected(
  value: unknown,
  { kind, objects, shared }: Inspection,
  share: 'freeze' | 'copy',
): Shared | undefined {
  if (kind === 'opaque') return undefined
  if (kind === 'plain' && share === 'freeze') {
    for (const object of objects) Object.freeze(object)
    return { value, copy: undefined }
  }
  const copy = copyOfAll(objects, shared)
  return { value: copy(value), copy }
}

/** The cheapest way that copies all of it truly. */
function copyOfAll(objects: ReadonlySet<object>, isShared: boolean): (value: unknown) => unknown {
  for (const object of objects) if (!isRegular(object)) return copyExactly
  return isShared ? copyGraph : copyTree
}

function copyGraph(value: unknown): unknown {
  return copyOf(value, true)
}

/** A wrong answer of `sizeOf` must not break the accounting: it counts as the largest size, so nothing is kept. */
function bytesOf(value: unknown, sizeOf: ((value: unknown) => number) | undefined): number {
  if (sizeOf === undefined) return heapBytes(value)
  const bytes = heard(sizeOf(value))
  return bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER ? Math.ceil(bytes) : Number.MAX_SAFE_INTEGER
}
