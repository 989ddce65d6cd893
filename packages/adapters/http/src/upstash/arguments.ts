import type { Expiry } from './change.ts'

/** An argument of a command: text, or the bytes of a body. */
export type Argument = string | Uint8Array

/** Ends a command as Redis does: its message begins with a word in capitals. */
export class CommandError extends Error {
  /** An error of the REST interface, and not of a command. */
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/** The error for options that a command does not have. */
export function syntaxError(): CommandError {
  return new CommandError('ERR syntax error')
}

/** A value as bytes. */
export function bytesOf(argument: Argument | undefined): Uint8Array {
  return typeof argument === 'string' ? Buffer.from(argument) : (argument ?? new Uint8Array())
}

/** A key, a number or an option. */
export function textOf(argument: Argument | undefined): string {
  return typeof argument === 'string' ? argument : Buffer.from(argument ?? []).toString()
}

/** A whole number that JavaScript holds exactly: Redis has 64 bits, here there are 53. */
export function wholeOf(argument: Argument | undefined): number {
  const text = textOf(argument)
  const number = Number(text)
  if (/^-?(0|[1-9]\d{0,15})$/.test(text) && text !== '-0' && Number.isSafeInteger(number)) return number
  throw new CommandError('ERR value is not an integer or out of range')
}

/** Reads the options at the end of a command one after the other, in upper or lower case. */
export class Options {
  readonly #left: Iterator<Argument>

  constructor(given: readonly Argument[]) {
    this.#left = given.values()
  }

  /** The next option in capitals; `undefined`: that was all. */
  next(): string | undefined {
    const { value: option } = this.#left.next() as { readonly value?: Argument }
    return option === undefined ? undefined : textOf(option).toUpperCase()
  }

  /** The value that follows an option. */
  value(): Argument {
    const { value } = this.#left.next() as { readonly value?: Argument }
    if (value === undefined) throw syntaxError()
    return value
  }
}

/** Milliseconds of one unit of each option of an expiry, and whether it is a time of day. */
const units: Readonly<Record<string, { readonly ms: number; readonly isTime: boolean }>> = {
  EX: { ms: 1_000, isTime: false },
  PX: { ms: 1, isTime: false },
  EXAT: { ms: 1_000, isTime: true },
  PXAT: { ms: 1, isTime: true },
}

/** The expiry of an option such as `EX 10`; `undefined`: this option is none. */
export function expiryOf(option: string, options: Options, command: string): Expiry | undefined {
  if (!Object.hasOwn(units, option)) return undefined
  const { ms, isTime } = units[option] as { ms: number; isTime: boolean }
  return lifeOf(options.value(), ms, isTime, command)
}

/** A life or a time that is above 0, in units of so many milliseconds. */
export function lifeOf(argument: Argument, ms: number, isTime: boolean, command: string): Expiry {
  const number = wholeOf(argument) * ms
  if (number <= 0 || !Number.isSafeInteger(number))
    throw new CommandError(`ERR invalid expire time in '${command.toLowerCase()}' command`)
  return isTime ? { expiresAt: number } : { ttlMs: number }
}
