import { resolve } from 'node:path'
import { checkFactoryOptions, invalidConfig, kindOf, nearest, type OptionNames } from '@unikv/core/adapter'
import type { DecoderConfiguration, DecoderName } from '@unikv/manager'
import type { Step } from './task.ts'

/** How a value is decoded that a configuration tells of. */
export interface OwnDecoder {
  readonly steps: readonly Step[]
  readonly own: Pick<DecoderConfiguration, 'decode' | 'encode'> | undefined
  /** For people. */
  readonly title: string
}

/** The decoders of a dashboard, by store and key. The first that fits is used. */
export class Decoders {
  readonly #rules: readonly Rule[]

  /** @throws {StoreError} `INVALID_CONFIG` */
  constructor(...lists: readonly (readonly DecoderConfiguration[])[]) {
    const wrong = lists.find((list) => !Array.isArray(list))
    if (wrong !== undefined) throw invalidConfig(`decoders must be a list, got ${kindOf(wrong)}.`)
    this.#rules = lists.flatMap((list) => list.map(ruleOf))
  }

  /** The decoder for a key; `undefined`: none is told of. */
  find(store: string, key: string): OwnDecoder | undefined {
    return this.#rules.find((rule) => (rule.store ?? store) === store && rule.keys.test(key))?.decoder
  }
}

interface Rule {
  readonly store: string | undefined
  readonly keys: RegExp
  readonly decoder: OwnDecoder
}

const optionNames: OptionNames<DecoderConfiguration> = {
  store: true,
  keys: true,
  as: true,
  proto: true,
  message: true,
  module: true,
  decode: true,
  encode: true,
}

const decoderNames = Object.keys({
  json: true,
  text: true,
  hex: true,
  msgpack: true,
  cbor: true,
  protobuf: true,
  image: true,
  gzip: true,
  brotli: true,
  zstd: true,
} satisfies Readonly<Record<DecoderName, true>>)

function ruleOf(given: DecoderConfiguration, i: number): Rule {
  const place = `decoders[${i}]`
  checkFactoryOptions(place, given, optionNames)
  const { store, keys, as, module, decode, encode } = given
  if (typeof keys !== 'string' || keys === '')
    throw invalidConfig(`${place} needs \`keys\`, a pattern such as 'session:*'.`)
  if (store !== undefined && typeof store !== 'string')
    throw invalidConfig(`store of ${place} must be the name of a store, got ${kindOf(store)}.`)
  const ways = [as, module, decode].filter((one) => one !== undefined)
  if (ways.length !== 1) throw invalidConfig(`${place} needs one of as, module and decode.`)
  for (const [name, one] of Object.entries({ decode, encode }))
    if (one !== undefined && typeof one !== 'function')
      throw invalidConfig(`${name} of ${place} must be a function, got ${kindOf(one)}.`)
  if (encode !== undefined && decode === undefined)
    throw invalidConfig(`encode of ${place} needs decode beside it.`)
  return { store, keys: patternOf(keys), decoder: decoderOf(given, place) }
}

function decoderOf(given: DecoderConfiguration, place: string): OwnDecoder {
  const { as, module, decode, encode, proto, message } = given
  const usesProto = as !== undefined && [as].flat().includes('protobuf')
  if (!usesProto && (proto !== undefined || message !== undefined))
    throw invalidConfig(`proto and message of ${place} belong to as: 'protobuf'.`)
  if (decode !== undefined) return { steps: [], own: { decode, encode }, title: 'own function' }
  if (module !== undefined) {
    if (typeof module !== 'string') throw invalidConfig(`module of ${place} must be a path.`)
    return { steps: [{ as: 'module', module: resolve(module) }], own: undefined, title: module }
  }
  const names = [as as DecoderName | readonly DecoderName[]].flat()
  const steps = names.map((name) => stepOf(name, given, place))
  const title = usesProto ? `${names.join(', ')} ${message}` : names.join(', ')
  return { steps, own: undefined, title }
}

function stepOf(name: DecoderName, { proto, message }: DecoderConfiguration, place: string): Step {
  if (!decoderNames.includes(name)) {
    const near = typeof name === 'string' ? nearest(name, decoderNames) : undefined
    const hint = near === undefined ? `Known: ${decoderNames.join(', ')}` : `Did you mean '${near}'?`
    throw invalidConfig(`as of ${place} names the unknown decoder '${String(name)}'. ${hint}`)
  }
  if (name !== 'protobuf') return { as: name }
  if (typeof proto !== 'string' || typeof message !== 'string')
    throw invalidConfig(`${place} needs proto, the path of a .proto file, and message, a name in it.`)
  return { as: name, proto: resolve(proto), message }
}

/** `*` stands for any characters; all others for themselves. */
function patternOf(keys: string): RegExp {
  const parts = keys.split(/\*+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*?')}$`, 's')
}

/** The steps that a reader has chosen: names with commas. @throws {StoreError} `INVALID_ARGUMENT` */
export function chosenSteps(text: string): readonly Step[] | undefined {
  const names = text.split(',') as DecoderName[]
  const isKnown = names.every((name) => name !== 'protobuf' && decoderNames.includes(name))
  return isKnown ? names.map((as) => ({ as }) as Step) : undefined
}
