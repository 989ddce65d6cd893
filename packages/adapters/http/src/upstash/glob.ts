import { CommandError } from './arguments.ts'

/** A pattern of `KEYS` and `SCAN`: `*`, `?`, `[a-c]`, `[^a]`, and `\` before a character that means itself. */
export interface Glob {
  /** The beginning that every key of the pattern has. */
  readonly prefix: string
  fits(this: void, key: string): boolean
}

/** Characters of a pattern, at most: the time of a match is their number times that of a key. */
const longestPattern = 1_000

/** One part of a pattern: any characters, or a test of one. */
type Part = '*' | ((character: string) => boolean)

/** @param pattern text as Redis takes it; a bracket that is not closed ends with the pattern */
export function globOf(pattern: string): Glob {
  if (pattern.length > longestPattern)
    throw new CommandError(`ERR a pattern has at most ${longestPattern} characters`)
  const characters = Array.from(pattern)
  const parts: Part[] = []
  let [prefix, isFixed] = ['', true]
  while (characters.length > 0) {
    const next = characters.shift() as string
    const isSpecial = next === '*' || next === '?' || next === '['
    const literal = next === '\\' ? (characters.shift() ?? next) : next
    isFixed &&= !isSpecial
    if (isFixed) prefix += literal
    if (next === '*') parts.push('*')
    else if (next === '?') parts.push(() => true)
    else if (next === '[') parts.push(classOf(characters))
    else parts.push((character) => character === literal)
  }
  const shortest = parts.filter((part) => part !== '*').length
  return { prefix, fits: (key) => key.length >= shortest && isFit(parts, Array.from(key)) }
}

/** Reads a class up to its closing bracket. */
function classOf(characters: string[]): (character: string) => boolean {
  const isNegated = characters[0] === '^'
  if (isNegated) characters.shift()
  const ranges: (readonly [string, string])[] = []
  while (characters.length > 0 && characters[0] !== ']') {
    const first = memberOf(characters)
    const isRange = characters[0] === '-' && characters.length > 1 && characters[1] !== ']'
    if (isRange) characters.shift()
    const last = isRange ? memberOf(characters) : first
    ranges.push(first <= last ? [first, last] : [last, first])
  }
  characters.shift()
  return (character) => ranges.some(([first, last]) => first <= character && character <= last) !== isNegated
}

function memberOf(characters: string[]): string {
  const next = characters.shift() as string
  return next === '\\' ? (characters.shift() ?? next) : next
}

/** Goes back to the last `*` alone, so that no pattern takes longer than its length times that of the key. */
function isFit(parts: readonly Part[], key: readonly string[]): boolean {
  let [part, at, star, starAt] = [0, 0, -1, 0]
  while (at < key.length) {
    const test = parts[part]
    if (test === '*') [star, starAt, part] = [part, at, part + 1]
    else if (test?.(key[at] as string) === true) [part, at] = [part + 1, at + 1]
    else if (star === -1) return false
    else [part, at, starAt] = [star + 1, starAt + 1, starAt + 1]
  }
  return parts.slice(part).every((rest) => rest === '*')
}
