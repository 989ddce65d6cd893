import { StoreError } from '@unikv/core'
import { kindOf } from '@unikv/core/adapter'
import { Document } from './document.ts'
import { evaluated } from './evaluate/evaluation.ts'
import type { Search } from './evaluate/search.ts'
import { referred } from './refer/references.ts'
import type { Element } from './tree/element.ts'
import { limits } from './tree/limits.ts'
import { shownFile, wrong } from './tree/wrong.ts'
import { Unfolding } from './unfold/unfolding.ts'
import { documentForm } from './view/document-form.ts'
import { jsonText } from './view/json-text.ts'
import { xmlText } from './view/xml-text.ts'
import { yamlText } from './view/yaml-text.ts'

/** A document after inheritance: it needs no other file, and has its loops, references and expressions. */
export class Inherited {
  /** The root of its tree. */
  readonly root: Element
  readonly #search: Search
  #unfolding: Unfolding | undefined

  /** @internal */
  constructor(root: Element, search: Search) {
    this.root = root
    this.#search = search
  }

  /**
   * Number of documents that it unfolds into.
   *
   * @throws {StoreError} `INVALID_CONFIG` for a loop that is not right
   */
  get count(): number {
    return this.#loops().count
  }

  /**
   * Text that can be read again as a document.
   *
   * @throws {StoreError} `INVALID_CONFIG` if XML does not have one of its characters
   */
  text(format: 'xml' | 'yaml' | 'json' = 'xml'): string {
    if (format === 'xml') return xmlText(this.root)
    const form = documentForm(this.root)
    return format === 'yaml' ? yamlText(form) : `${jsonText(form, 2)}\n`
  }

  /**
   * Documents in the order of their indexes.
   *
   * @param indexes the documents that are wanted, from 0. Default: all
   * @throws {StoreError} `INVALID_CONFIG` for a mistake in a document, and for more documents than can be unfolded at a time;
   * `INVALID_ARGUMENT` for an index that is not there
   */
  unfold(indexes?: readonly number[]): readonly Document[] {
    const loops = this.#loops()
    const wanted = this.#wanted(indexes, loops.count)
    let elements = 0
    return wanted.map((index) => {
      const unfolded = loops.at(index)
      const root = evaluated(referred(unfolded), this.#search)
      elements += root.size.elements
      if (elements > limits.unfoldedElements)
        throw wrong(
          root.place,
          `the documents have more than ${limits.unfoldedElements} elements. Unfold fewer at a time`,
        )
      return new Document(root, index, loops.positions(index))
    })
  }

  #wanted(indexes: readonly number[] | undefined, count: number): readonly number[] {
    if (indexes !== undefined && !Array.isArray(indexes))
      throw new StoreError('INVALID_ARGUMENT', `documents must be a list of indexes, got ${kindOf(indexes)}.`)
    const many = indexes?.length ?? count
    if (many > limits.documents)
      throw wrong(
        this.root.place,
        `it unfolds into ${many} documents; at most ${limits.documents} are unfolded at a time. Choose some by their indexes`,
      )
    if (indexes === undefined) return Array.from({ length: count }, (_, index) => index)
    for (const index of indexes)
      if (!Number.isSafeInteger(index) || index < 0 || index >= count) throw this.#noIndex(index, count)
    return [...new Set(indexes)].sort((a, b) => a - b)
  }

  #noIndex(index: unknown, count: number): StoreError {
    const there =
      count === 1
        ? 'one document, with the index 0'
        : `${count} documents, with the indexes 0 to ${count - 1}`
    const got = typeof index === 'number' ? String(index) : kindOf(index)
    return new StoreError(
      'INVALID_ARGUMENT',
      `${shownFile(this.root.place.file)} unfolds into ${there}; got ${got}.`,
    )
  }

  #loops(): Unfolding {
    this.#unfolding ??= new Unfolding(this.root, this.#search)
    return this.#unfolding
  }
}
