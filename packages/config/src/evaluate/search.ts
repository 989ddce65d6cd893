import { type Matcher, RE2JS } from 're2js'
import { limits } from '../tree/limits.ts'
import { type Trail, wrongAt } from '../tree/trail.ts'

/**
 * Regular expressions with the rules of Java. Their time is linear in the text, but a search is repeated for each match,
 * so that a clock bounds them all.
 */
export class Search {
  readonly #clock: () => number
  readonly #patterns = new Map<string, RE2JS>()
  #spentMs = 0

  /** @param clock monotonic, in milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** The first match, or `undefined`. */
  find(trail: Trail, whose: string, pattern: string, text: string): string | undefined {
    const matcher = this.#matcher(trail, whose, pattern, text)
    return this.#next(matcher, trail) ? (matcher.group() ?? undefined) : undefined
  }

  /** A group of all matches; matches without the group are left out. */
  findAll(trail: Trail, pattern: string, group: number, text: string): readonly string[] {
    const matcher = this.#matcher(trail, 'pattern', pattern, text)
    if (group > matcher.groupCount())
      throw wrongAt(trail, `the pattern has ${matcher.groupCount()} groups, so there is no group ${group}`)
    const found: string[] = []
    while (this.#next(matcher, trail)) {
      const match = matcher.group(group)
      if (match !== null) found.push(match)
    }
    return found
  }

  /** The parts between matches, without empty ones at the end, as Java splits. */
  split(trail: Trail, whose: string, pattern: string, text: string): readonly string[] {
    const matcher = this.#matcher(trail, whose, pattern, text)
    const parts: string[] = []
    let from = 0
    while (this.#next(matcher, trail)) {
      if (matcher.end() === 0) continue // nothing stands before an empty match at the start
      parts.push(text.slice(from, matcher.start()))
      from = matcher.end()
    }
    if (parts.length === 0 && from === 0) return [text]
    parts.push(text.slice(from))
    while (parts.at(-1) === '') parts.pop()
    return parts
  }

  #next(matcher: Matcher, trail: Trail): boolean {
    const start = this.#clock()
    const isFound = matcher.find()
    this.#spentMs += this.#clock() - start
    if (this.#spentMs > limits.searchMs)
      throw wrongAt(
        trail,
        `the regular expressions take more than ${limits.searchMs} ms. Use simpler ones, or shorter texts`,
      )
    return isFound
  }

  #matcher(trail: Trail, whose: string, pattern: string, text: string): Matcher {
    if (text.length > limits.searched)
      throw wrongAt(trail, `a regular expression takes texts of at most ${limits.searched} characters`)
    return this.#compiled(trail, whose, pattern).matcher(text)
  }

  #compiled(trail: Trail, whose: string, pattern: string): RE2JS {
    const known = this.#patterns.get(pattern)
    if (known !== undefined) return known
    if (pattern.length > limits.pattern)
      throw wrongAt(
        trail,
        `${whose} has more than ${limits.pattern} characters, the most that a regular expression may have`,
      )
    const compiled = compile(trail, whose, pattern)
    if (compiled.programSize() > limits.program)
      throw wrongAt(trail, `${whose} repeats too much: the regular expression would be too large`)
    this.#patterns.set(pattern, compiled)
    return compiled
  }
}

function compile(trail: Trail, whose: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (cause) {
    const why = (cause as Error).message.replace(/^error parsing regexp: /, '')
    throw wrongAt(
      trail,
      `${whose} is not a regular expression that can be used: ${why}. Look-around and back references do not exist here`,
      cause,
    )
  }
}
