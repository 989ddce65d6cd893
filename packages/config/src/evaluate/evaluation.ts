import { type Element, element, valueOf, withChildren, without } from '../tree/element.ts'
import { limits } from '../tree/limits.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import { instead } from '../tree/wrong.ts'
import { dataOf } from '../view/data.ts'
import type { Data } from '../view/data-kinds.ts'
import { jsonText } from '../view/json-text.ts'
import { calculated, type Operand } from './arithmetic.ts'
import { type Expression, expressionForms, expressionOf } from './expression.ts'
import { isList, listOf } from './lists.ts'
import type { Search } from './search.ts'

/**
 * A document with the result of each expression in its place.
 *
 * @throws {StoreError} `INVALID_CONFIG` with file, line and path
 */
export function evaluated(root: Element, search: Search): Element {
  return new Evaluation(search).evaluated({ element: root, parent: undefined })
}

/** A value in an expression, and where it stands. */
interface Value {
  readonly trail: Trail
  readonly text: string | undefined
}

class Evaluation {
  readonly #search: Search

  constructor(search: Search) {
    this.#search = search
  }

  /** @param isDumped whether it becomes a part of JSON, where sums and products are numbers */
  evaluated(trail: Trail, isDumped = false): Element {
    const { element: own } = trail
    if (own.attributes.has('exp')) return this.#result(trail, isDumped)
    const inner = withChildren(own, (child) => this.evaluated({ element: child, parent: trail }, isDumped))
    // An `extends="."` that is left had no base to be merged with.
    if (!inner.attributes.has('extends')) return inner
    return element({ ...inner, attributes: without(inner.attributes, 'extends') })
  }

  /** An element that has the result as its text. Only its name and type are kept. */
  #result(trail: Trail, isDumped: boolean): Element {
    const { tag, place, attributes } = trail.element
    const kept = new Map(
      [...attributes].filter(
        ([name, value]) => name === 'name' || (name === 'type' && value !== 'array' && value !== 'object'),
      ),
    )
    const isSum = /^\s*[+*]\s*$/.test(attributes.get('exp') ?? '')
    if (isDumped && isSum && !kept.has('type')) kept.set('type', 'number')
    return element({ tag, place, attributes: kept, text: this.#text(trail) })
  }

  #text(trail: Trail): string {
    const exp = trail.element.attributes.get('exp') ?? ''
    const expression = expressionOf(exp)
    if (expression === undefined)
      throw wrongAt(trail, `exp="${exp}" is not an expression. ${instead(exp, expressionForms)}`)
    return this.#applied(trail, expression)
  }

  #applied(trail: Trail, expression: Expression): string {
    const { element: own } = trail
    if (expression.kind === 'find') {
      const text = this.#textIn(trail) ?? ''
      return this.#search.find(trail, 'find', expression.pattern, text) ?? ''
    }
    if (valueOf(own) !== undefined)
      throw wrongAt(
        trail,
        `exp="${own.attributes.get('exp')}" works on child elements, but the element has a text`,
      )
    if (expression.kind === 'jsondump') return jsonText(this.#dumped(trail))
    const values = this.#values(trail)
    if (expression.kind === 'concat') return joined(trail, values, expression.separator)
    return calculated(trail, expression.kind, values.map(checkedOperand))
  }

  /** The value of an element: the result of its expression, the value of its only child, or its text. */
  #value(trail: Trail): string | undefined {
    return trail.element.attributes.has('exp') ? this.#text(trail) : this.#textIn(trail)
  }

  #textIn(trail: Trail): string | undefined {
    const { children } = trail.element
    const [child] = children
    if (child === undefined) return valueOf(trail.element)
    if (children.length > 1) throw wrongAt(trail, 'one value is needed here, but it has several elements')
    const inner = { element: child, parent: trail }
    if (isList(child))
      throw wrongAt(inner, `<${child.tag}> gives a list, but one value is needed here. Put concat around it`)
    return this.#value(inner)
  }

  /** The values of the children; a list function gives several. */
  #values(trail: Trail): readonly Value[] {
    return trail.element.children.flatMap((child) => {
      const inner: Trail = { element: child, parent: trail }
      if (!isList(child)) return [{ trail: inner, text: this.#value(inner) }]
      return this.#list(inner).map((text) => ({ trail: inner, text }))
    })
  }

  #list(trail: Trail): readonly string[] {
    return listOf(trail, {
      search: this.#search,
      value: (inner) => this.#value(inner),
      values: (inner) => this.#values(inner).flatMap(({ text }) => (text === undefined ? [] : [text])),
    })
  }

  /** The content as data. A type of the result is not one of the content. */
  #dumped(trail: Trail): Data {
    const { element: own, parent } = trail
    const declared = own.attributes.get('type')
    const kept = declared === 'array' || declared === 'object' ? declared : undefined
    const type = kept ?? (own.children.length === 0 ? 'object' : undefined)
    const attributes = new Map(type === undefined ? [] : [['type', type]])
    const inner = withChildren(own, (child) => this.evaluated({ element: child, parent: trail }, true))
    return dataOf(element({ ...inner, attributes }), parent)
  }
}

function joined(trail: Trail, values: readonly Value[], separator: string): string {
  let length = 0
  const texts = values.map(({ text = '' }) => {
    length += text.length + separator.length
    if (length > limits.characters)
      throw wrongAt(trail, `the result has more than ${limits.characters} characters`)
    return text
  })
  return texts.join(separator)
}

function checkedOperand({ trail, text }: Value): Operand {
  if (text === undefined || text === '') throw wrongAt(trail, 'it is empty, but a number is needed here')
  return { trail, text }
}
