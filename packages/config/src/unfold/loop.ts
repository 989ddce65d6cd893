import type { Search } from '../evaluate/search.ts'
import { type Element, element } from '../tree/element.ts'
import { taggedBy } from '../tree/names.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import { trimmed } from '../tree/trimmed.ts'

/** The tag of a loop. */
export const loopTag = 'foreach'

/** One `foreach`: its bindings are made when they are asked for, as a range may be long. */
export interface Loop {
  /** The tag or key that each binding has. */
  readonly name: string
  readonly count: number
  readonly at: (index: number) => Element
}

/**
 * The loop of a `foreach`.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it has no name, or not exactly one of sep, range and child elements
 */
export function loopOf(trail: Trail, search: Search): Loop {
  const { element: own } = trail
  const name = own.attributes.get('name') ?? ''
  if (name.trim() === '' || name === loopTag)
    throw wrongAt(
      trail,
      'foreach needs a name, the tag of what it binds. In YAML and JSON it is $foreach: { name: [1, 2] }, beside the job of a suite',
    )
  const loop = boundBy(trail, search)
  if (loop.count === 0) throw wrongAt(trail, `foreach ${name} has no values, so no document would be left`)
  const tagged = taggedBy(name)
  return {
    name,
    count: loop.count,
    at: (index) => {
      const { attributes, text, children = [] } = loop.at(index)
      return element({
        tag: tagged.tag,
        place: own.place,
        attributes: new Map([...tagged.attributes, ...attributes]),
        text,
        children,
      })
    },
  }
}

interface Binding {
  readonly attributes: ReadonlyMap<string, string>
  readonly text?: string | undefined
  readonly children?: readonly Element[]
}

interface Bindings {
  readonly count: number
  readonly at: (index: number) => Binding
}

function boundBy(trail: Trail, search: Search): Bindings {
  const { element: own } = trail
  const [sep, range] = [own.attributes.get('sep'), own.attributes.get('range')]
  const forms = [sep !== undefined, range !== undefined, own.children.length > 0].filter(Boolean).length
  if (forms !== 1) throw wrongAt(trail, 'foreach takes exactly one of sep, range and child elements')
  const other = [...own.attributes.keys()].find((name) => !loopAttributes.includes(name))
  if (other !== undefined)
    throw wrongAt(trail, `foreach takes no attribute ${other}. It takes ${loopAttributes.join(', ')}`)
  const text = own.attributes.get('value') ?? trimmed(own.text ?? '')
  if (sep !== undefined) return split(trail, search, sep, text)
  if (text !== '') throw wrongAt(trail, 'foreach has a text, but no sep that splits it')
  if (range !== undefined) return rangeOf(trail, range)
  return { count: own.children.length, at: (index) => contentOf(own.children[index] as Element) }
}

const loopAttributes = ['name', 'sep', 'range', 'value']

function split(trail: Trail, search: Search, sep: string, text: string): Bindings {
  const parts = search.split(trail, 'sep', sep, text).map(trimmed)
  const values = parts.length === 1 && parts[0] === '' ? [] : parts
  return {
    count: values.length,
    at: (index) => ({ attributes: new Map(), text: values[index] === '' ? undefined : values[index] }),
  }
}

function rangeOf(trail: Trail, range: string): Bindings {
  const [, first = '', last = ''] = /^\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*$/.exec(range) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (first === '') throw wrongAt(trail, 'range must be two whole numbers such as 1..5')
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to))
    throw wrongAt(
      trail,
      `the numbers of a range must not be beyond ${Number.MAX_SAFE_INTEGER}, in either direction`,
    )
  if (from > to)
    throw wrongAt(trail, `the range ${from}..${to} is empty. The first number must not be the larger one`)
  return { count: to - from + 1, at: (index) => ({ attributes: new Map(), text: String(from + index) }) }
}

/** The content of a child is bound. Its tag, its name and further attributes only label it. */
function contentOf({ attributes, text, children }: Element): Binding {
  const kept = [...attributes].filter(([name]) => ['type', 'value', 'ref', 'exp'].includes(name))
  return { attributes: new Map(kept), text, children }
}
