import { dirname, resolve } from 'node:path'
import type { ExtendPath } from '../files/extend-path.ts'
import { type Element, element } from '../tree/element.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'
import { instead } from '../tree/wrong.ts'
import { dateText } from './date-text.ts'

/** Sources of system values. */
export interface SystemOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** From 0 to below 1. */
  readonly random: () => number
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Names of variables that documents may read. */
  readonly allowed: readonly string[]
}

interface Value {
  readonly text: string | undefined
  readonly isNumber?: boolean
}

/** The values behind `sys:`. The time is the same in all documents of one call. */
export class SystemValues {
  readonly #options: SystemOptions
  readonly #now: number

  constructor(options: SystemOptions) {
    this.#options = options
    this.#now = options.clock()
  }

  /**
   * The element that `sys:MODULE:CALL` names.
   *
   * @throws {StoreError} `INVALID_CONFIG` if there is none, or the variable may not be read
   */
  at({ path, written, steps }: ExtendPath, trail: Trail): Element {
    const [, module = '', call = ''] = /^(\w+)(?::(.*))?$/s.exec(path) ?? []
    const [name, argument] = split(call)
    const values: Readonly<Record<string, () => Value | undefined>> = {
      time: () => this.#time(name, argument),
      random: () => this.#random(name, argument),
      env: () => this.#environment(name, argument, trail),
      path: () => pathValue(name, argument, trail),
    }
    if (!Object.hasOwn(values, module))
      throw wrongAt(trail, `extends: there is no 'sys:${module}'. ${instead(module, Object.keys(values))}`)
    const value = steps.length > 0 ? undefined : values[module]?.()
    if (value === undefined) throw wrongAt(trail, `extends: there is no '${written}'. ${calls}`)
    const place = { file: `sys:${module}`, line: 1 }
    const attributes = new Map(value.isNumber === true ? [['type', 'number']] : [])
    return element({ tag: 'v', place, attributes, text: value.text })
  }

  #time(name: string, argument: string | undefined): Value | undefined {
    if (name === 'longValue' && argument === undefined) return { text: String(this.#now), isNumber: true }
    if (name !== '' && name !== 'dateTime') return undefined
    if (argument === undefined) return { text: new Date(this.#now).toISOString() }
    const text = dateText(this.#now, argument)
    return text === undefined ? undefined : { text }
  }

  #random(name: string, argument: string | undefined): Value | undefined {
    if (argument !== undefined || !['', 'intValue', 'longValue'].includes(name)) return undefined
    const below = name === 'longValue' ? Number.MAX_SAFE_INTEGER : 2 ** 31
    return { text: String(Math.floor(this.#options.random() * below)), isNumber: true }
  }

  #environment(name: string, argument: string | undefined, trail: Trail): Value | undefined {
    const variable = name === 'getenv' ? argument : argument === undefined ? name : undefined
    if (variable === undefined || variable === '') return undefined
    if (!this.#options.allowed.includes(variable))
      throw wrongAt(
        trail,
        `extends: the variable ${variable} of the environment may not be read. Allow it by name`,
      )
    const text = this.#options.environment[variable]
    if (text === undefined)
      throw wrongAt(trail, `extends: the variable ${variable} of the environment is not set`)
    return { text }
  }
}

const calls =
  'Known: sys:time, sys:time:longValue, sys:time:dateTime/FORMAT, sys:random, sys:random:longValue, sys:env:NAME, sys:path:here/SUB, sys:path:pwd/SUB'

function pathValue(name: string, argument: string | undefined, trail: Trail): Value | undefined {
  if (!['', 'here', 'pwd'].includes(name)) return undefined
  const folder = name === 'pwd' ? process.cwd() : dirname(trail.element.place.file)
  return { text: resolve(folder, ...(argument === undefined ? [] : [`./${argument}`])) }
}

/** `name/argument`. */
function split(call: string): readonly [string, string | undefined] {
  const at = call.indexOf('/')
  return at < 0 ? [call.trim(), undefined] : [call.slice(0, at).trim(), call.slice(at + 1).trim()]
}
