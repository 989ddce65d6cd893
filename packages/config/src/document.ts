import { StoreError } from '@unikv/core'
import type { Element } from './tree/element.ts'
import { elementAt, stepsOf } from './tree/path.ts'
import { pathOf, type Trail } from './tree/trail.ts'
import { shownFile, wrong } from './tree/wrong.ts'

/** One document, with everything resolved. */
export class Document {
  /** The root of its tree. */
  readonly root: Element
  /** Its place among the documents of its file, from 0. */
  readonly index: number
  /** Names of the loops, and the position of the value that each has here, from 0. */
  readonly positions: ReadonlyMap<string, number>

  /** @internal */
  constructor(root: Element, index: number, positions: ReadonlyMap<string, number>) {
    this.root = root
    this.index = index
    this.positions = positions
  }

  /**
   * The first element at a path of tags below the root, such as `job/database`; `undefined` if there is none.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` for a path with empty steps
   */
  at(path: string): Element | undefined {
    const steps = typeof path === 'string' ? stepsOf(path) : undefined
    if (steps !== undefined) return elementAt(this.root, steps)
    throw new StoreError('INVALID_ARGUMENT', 'A path must be tags with / between them, such as job/database.')
  }

  /**
   * An error about one of its elements, as one sentence with file, line and path.
   *
   * @param says the rest of the sentence
   */
  error(element: Element, says: string): StoreError {
    const trail = found({ element: this.root, parent: undefined }, element)
    return wrong(element.place, says, trail === undefined ? undefined : pathOf(trail))
  }
}

/** Where an element was written, for messages: `suite.xml:3`. */
export function placeText({ place: { file, line } }: Element): string {
  return `${shownFile(file)}:${line}`
}

function found(at: Trail, wanted: Element): Trail | undefined {
  if (at.element === wanted) return at
  for (const child of at.element.children) {
    const inside = found({ element: child, parent: at }, wanted)
    if (inside !== undefined) return inside
  }
  return undefined
}
