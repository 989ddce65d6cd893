import { types } from 'node:util'
import type { Bytes } from '../contract/bytes.ts'
import { StoreError } from '../contract/errors.ts'
import { checkOptions, type OptionNames } from '../options/check-options.ts'
import { extendsNone, isBytes, isPlainArray, isPlainObject } from '../platform/realms.ts'
import type { Layer } from '../stack/layer.ts'
import { type CodecCapabilities, freshCodec } from './codec.ts'
import { at, pathTo, wherever } from './place.ts'
import { roundTrip, type SchemalessCodec } from './round-trip.ts'
import { checkSchema, type OutputOf, type Schema, validated } from './schema.ts'
import { decodeText } from './text.ts'
import { tooLong } from './too-long.ts'

/** The values that `structured` can hold: JSON data and undefined, all numbers, BigInt, Date, Map, Set, bytes, shared and cyclic references. */
export type Structured =
  | string
  | number
  | boolean
  | null
  | undefined
  | bigint
  | Date
  | Uint8Array
  | readonly Structured[]
  | ReadonlyMap<Structured, Structured>
  | ReadonlySet<Structured>
  | { readonly [name: string]: Structured }

/**
 * Structured data as tagged JSON, specified in `docs/reference/structured.md`: a JSON array of a format number and
 * nodes, where nodes refer to others by index; so shared and cyclic references come back as they were. Class
 * instances, functions and symbols are rejected, and so are properties that a Date, Map or Set has of its own.
 *
 * `structured<User>()` names the type of the values. Nothing checks at run time that a stored value has it; a schema
 * does: as with `json`, a read gives its output, and a write is rejected unless reading it back gives the same value.
 */
export function structured(options?: StructuredOptions): Layer<Bytes, Structured, CodecCapabilities>
// An overload, not a default: in a list of layers `V` would be inferred from the list, as `unknown`.
export function structured<V>(options?: StructuredOptions): Layer<Bytes, V, CodecCapabilities>
export function structured<S extends Schema>(
  schema: S,
  options?: StructuredOptions,
): Layer<Bytes, OutputOf<S>, CodecCapabilities>
export function structured(
  first: Schema | StructuredOptions = {},
  second: StructuredOptions = {},
): Layer<Bytes, unknown, CodecCapabilities> {
  const schema = isSchema(first) ? first : undefined
  const { bytes } = checkedOptions((schema === undefined ? first : second) as StructuredOptions)
  const read = (stored: Bytes): unknown => fromNodes(parsed(decodeText(stored)), bytes === 'buffer')
  const schemaless = schemalessOf(read)
  return freshCodec<unknown>({
    name: 'structured',
    encode: (value) => (schema === undefined ? toStructured(value) : roundTrip(schema, value, schemaless)),
    decode: (stored) => {
      const value = read(stored)
      return schema === undefined ? value : validated(schema, value)
    },
  })
}

/** Settings of `structured`. */
export interface StructuredOptions {
  /** The class of bytes that are read; `'buffer'` for code that calls methods of Buffer. @default 'uint8array' */
  readonly bytes?: 'uint8array' | 'buffer' | undefined
}

const optionNames: OptionNames<StructuredOptions> = { bytes: true }

/** Whether the first argument is a schema. Throws for a value that is neither a schema nor options. */
function isSchema(first: Schema | StructuredOptions): first is Schema {
  if (isPlainObject(first) && !('~standard' in first)) return false
  checkSchema('structured', first)
  return true
}

function checkedOptions(options: StructuredOptions): StructuredOptions {
  checkOptions('structured', options, optionNames)
  const bytes: unknown = options.bytes
  if (bytes === undefined || bytes === 'uint8array' || bytes === 'buffer') return options
  throw new StoreError('INVALID_CONFIG', "`bytes` of structured() must be 'uint8array' or 'buffer'.")
}

function schemalessOf(read: (stored: Bytes) => unknown): SchemalessCodec<Bytes> {
  return {
    formOf: (value) => {
      const stored = toStructured(value)
      return { stored, back: read(stored) }
    },
    // Always a copy, as bytes come back as another class than Buffer.
    wantedOf: (_value, { stored }) => read(stored),
  }
}

/**
 * The bytes that `structured` stores for a value, without a store: for data that crosses to another thread or process.
 *
 * @throws {StoreError} `INVALID_VALUE` for what would not come back as it is
 */
export function toStructured(value: unknown): Bytes {
  try {
    return Buffer.from(JSON.stringify([format, ...nodesOf(value)]))
  } catch (error) {
    throw tooLong(error) ?? error
  }
}

/**
 * The value that `toStructured` wrote.
 *
 * @throws {StoreError} `CORRUPT` for anything else, `VALUE_TOO_LARGE` for more than a string can hold
 */
export function fromStructured(stored: Bytes): unknown {
  return fromNodes(parsed(decodeText(stored)))
}

const format = 1

/** A node: a JSON primitive as it is, anything else an array of a tag and its content. */
type Node = string | number | boolean | null | readonly [tag: string, ...content: readonly unknown[]]

/** The number of the node of a value. */
type Refer = (value: unknown) => number

/** The error about a value that has no node. */
type Refuse = (what: string) => StoreError

function nodesOf(root: unknown): readonly Node[] {
  const values: unknown[] = [root]
  const indexOf = new Map<unknown, number>([[root, 0]])
  const refer = (value: unknown): number => {
    const key = Object.is(value, -0) ? minusZero : value
    const known = indexOf.get(key)
    if (known !== undefined) return known
    indexOf.set(key, values.length)
    return values.push(value) - 1
  }
  if (Object.is(root, -0)) indexOf.set(minusZero, 0)
  const nodes: Node[] = []
  // `values` grows while it is walked: no recursion, so no depth limit.
  for (let i = 0; i < values.length; i++)
    nodes.push(nodeOf(values[i], refer, (what) => refused(what, root, values[i])))
  return nodes
}

function refused(what: string, root: unknown, part: unknown): StoreError {
  const path = pathTo(root, part)
  const place = at(path, root)
  const message = `structured cannot hold ${what}${place}. Convert it, or write a codec of your own.${wherever(place)}`
  return new StoreError('INVALID_VALUE', message, { path })
}

/** Map keys cannot tell −0 from 0. */
const minusZero = Symbol('-0')

function nodeOf(value: unknown, refer: Refer, refuse: Refuse): Node {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : ['n', Object.is(value, -0) ? '-0' : String(value)]
    case 'undefined':
      return ['u']
    case 'bigint':
      return ['b', value.toString()]
    case 'object':
      return value === null ? null : objectNode(value, refer, refuse)
    default:
      throw refuse(`a ${typeof value}`)
  }
}

function objectNode(value: object, refer: Refer, refuse: Refuse): Node {
  if (isPlainArray(value)) return ['a', ...Array.from(value, (item, i) => (i in value ? refer(item) : -1))]
  if (isPlainObject(value))
    return ['o', ...Object.entries(value).flatMap(([name, item]) => [name, refer(item)])]
  if (isBytes(value))
    return ['y', Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')]
  // Properties of its own would be lost.
  if (!extendsNone(value) || Object.keys(value).length > 0)
    throw refuse('a class instance, or properties of a Date, Map or Set')
  if (types.isDate(value)) return ['d', Number.isNaN(value.getTime()) ? null : value.getTime()]
  if (types.isMap(value)) return ['m', ...Array.from(value).flat().map(refer)]
  if (types.isSet(value)) return ['s', ...Array.from(value, refer)]
  throw refuse('a class instance')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause, which would quote the value.
    throw corrupt()
  }
}

function fromNodes(parsed: unknown, isBuffer = false): unknown {
  if (!Array.isArray(parsed) || parsed[0] !== format || parsed.length < 2) throw corrupt()
  const nodes = parsed.slice(1) as Node[]
  const values = nodes.map((node) => shellOf(node, isBuffer))
  const valueAt = (index: unknown): unknown => {
    if (typeof index !== 'number' || !(index in values)) throw corrupt()
    return values[index]
  }
  for (const [i, node] of nodes.entries()) if (Array.isArray(node)) fill(values[i], node, valueAt)
  return values[0]
}

/** The value of a node without the nodes that it refers to. */
function shellOf(node: unknown, isBuffer: boolean): unknown {
  if (!Array.isArray(node)) {
    if (typeof node === 'object' && node !== null) throw corrupt()
    return node
  }
  const [tag, first] = node as [unknown, unknown]
  switch (tag) {
    case 'u':
      return undefined
    case 'n':
      return numberOf(first)
    case 'b':
      if (typeof first !== 'string' || !/^-?[0-9]+$/.test(first)) throw corrupt()
      return BigInt(first)
    case 'd':
      return dateOf(first)
    case 'y':
      return isBuffer ? Buffer.from(bytesOf(first).buffer) : bytesOf(first)
    case 'a':
      return arrayOf(node.length - 1)
    case 'o':
      return {}
    case 'm':
      return new Map()
    case 's':
      return new Set()
    default:
      throw corrupt()
  }
}

/** An array of holes. */
function arrayOf(length: number): unknown[] {
  const array: unknown[] = []
  array.length = length
  return array
}

function dateOf(ms: unknown): Date {
  const date = new Date(ms === null ? Number.NaN : (ms as number))
  if (ms !== null && date.getTime() !== ms) throw corrupt()
  return date
}

/** `Buffer.from` alone would drop characters that are not base64. */
function bytesOf(text: unknown): Uint8Array<ArrayBuffer> {
  if (typeof text !== 'string') throw corrupt()
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw corrupt()
  return new Uint8Array(bytes)
}

function numberOf(text: unknown): number {
  const known: Readonly<Record<string, number>> = {
    '-0': -0,
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    '-Infinity': Number.NEGATIVE_INFINITY,
  }
  const value = typeof text === 'string' && Object.hasOwn(known, text) ? known[text] : undefined
  if (value === undefined) throw corrupt()
  return value
}

function fill(
  shell: unknown,
  [tag, ...content]: readonly unknown[],
  valueAt: (index: unknown) => unknown,
): void {
  if (tag === 'a') content.forEach((index, i) => index !== -1 && ((shell as unknown[])[i] = valueAt(index)))
  if (tag === 's') for (const index of content) (shell as Set<unknown>).add(valueAt(index))
  if (tag !== 'm' && tag !== 'o') return
  if (content.length % 2 !== 0) throw corrupt()
  for (let i = 0; i < content.length; i += 2) {
    if (tag === 'm') (shell as Map<unknown, unknown>).set(valueAt(content[i]), valueAt(content[i + 1]))
    else define(shell as object, nameOf(content[i]), valueAt(content[i + 1]))
  }
}

/** An own property, `__proto__` included, without touching a prototype. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

function nameOf(name: unknown): string {
  if (typeof name !== 'string') throw corrupt()
  return name
}

function corrupt(): StoreError {
  return new StoreError(
    'CORRUPT',
    'The stored value is not what structured writes. Check that the same layers wrote it.',
  )
}
