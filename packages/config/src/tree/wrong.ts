import { isAbsolute, relative } from 'node:path'
import { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { limits } from './limits.ts'

/** Where an element was written. */
export interface Place {
  /** Absolute path of the file, or the name of a system value such as `sys:time`. */
  readonly file: string
  /** Line in the file, from 1. */
  readonly line: number
}

/**
 * An error of a document, as one sentence that begins with file and line.
 *
 * @param says the rest of the sentence; it names tags, attributes and paths, and quotes no values
 * @param path tags from the root to the element, if they are known
 */
export function wrong(place: Place, says: string, path?: string, cause?: unknown): StoreError {
  const where = `${shownFile(place.file)}:${place.line}${path === undefined ? '' : `, ${path}`}`
  return wrongFile(where, says, cause)
}

/** An error of a whole file, or of something else that has a name. */
export function wrongFile(name: string, says: string, cause?: unknown): StoreError {
  const sentence = shortened(`${name}: ${says}${/[.?!]$/.test(says) ? '' : '.'}`)
  return new StoreError('INVALID_CONFIG', sentence, cause === undefined ? {} : { cause })
}

/** Tags and attributes may be very long, and attributes and names of files may hold line ends and other marks. */
function shortened(text: string): string {
  const { message } = limits
  const short = text.length <= message ? text : `${text.slice(0, message / 2)} … ${text.slice(-message / 2)}`
  return short.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A path as a person reads it: from the working directory, if the file is below it. */
export function shownFile(file: string): string {
  if (!isAbsolute(file)) return file
  const near = relative(process.cwd(), file)
  return near === '' || near.startsWith('..') ? file : near
}

/** A hint for a name that is not there. */
export function instead(name: string, known: readonly string[]): string {
  // Every short name is near to every other.
  const near = name.length > 2 ? nearest(name, known) : undefined
  return near === undefined ? `Known: ${known.join(', ') || 'none'}` : `Did you mean '${near}'?`
}
