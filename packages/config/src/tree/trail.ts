import type { StoreError } from '@unikv/core'
import type { Element } from './element.ts'
import { matchName } from './names.ts'
import { wrong } from './wrong.ts'

/** An element with those above it, for messages that tell the path. */
export interface Trail {
  readonly element: Element
  readonly parent: Trail | undefined
}

/** Tags from the root to an element, such as `job/database`. */
export function pathOf(trail: Trail): string {
  const tags: string[] = []
  for (let at: Trail | undefined = trail; at !== undefined; at = at.parent) tags.push(matchName(at.element))
  return tags.reverse().join('/')
}

/** An error of an element: file, line, path, and what is wrong. */
export function wrongAt(trail: Trail, says: string, cause?: unknown): StoreError {
  return wrong(trail.element.place, says, pathOf(trail), cause)
}
