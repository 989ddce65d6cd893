import { invalidArgument } from '../options/invalid.ts'

/** The value of a property, and where it is from: `workloada, line 3`. */
export interface Property {
  readonly value: string
  readonly source: string
}

/** Properties by name. Later ones win: `new Map([...preset, ...file, ...given])`. */
export type Properties = ReadonlyMap<string, Property>

/**
 * Read a property file in Java's format: `name=value`, `name: value` or `name value`, comments behind `#` or `!`, lines
 * that go on after a backslash, and escapes such as `\t` and `\u00e9`.
 *
 * @param name Name of the file, for errors
 * @throws {StoreError} `INVALID_ARGUMENT` with the line of a wrong escape
 */
export function parseProperties(text: string, name: string): Properties {
  const found = new Map<string, Property>()
  for (const { content, line } of logicalLines(text)) {
    const source = `${name}, line ${line}`
    // The name ends at the first separator without a backslash before it
    const end = /^(?:\\.|[^\\=:\s])*/.exec(content)?.[0].length ?? 0
    const value = content.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '')
    found.set(unescaped(content.slice(0, end), source), { value: unescaped(value, source), source })
  }
  return found
}

/**
 * One property as the command line gives it: `recordcount=1000`.
 *
 * @param option The option that gave it, for errors
 * @throws {StoreError} `INVALID_ARGUMENT` if there is no name or no `=`
 */
export function givenProperty(text: string, option = '-p'): Properties {
  const equals = text.indexOf('=')
  if (equals < 1) throw invalidArgument(`${option} '${text}' must be name=value.`)
  return new Map([[text.slice(0, equals).trim(), { value: text.slice(equals + 1).trim(), source: option }]])
}

interface LogicalLine {
  readonly content: string
  /** Number of its first line, from 1. */
  readonly line: number
}

/** Lines without comments, those that go on joined to one. */
function logicalLines(text: string): LogicalLine[] {
  const lines: LogicalLine[] = []
  let begun: LogicalLine | undefined
  for (const [index, full] of text.split(/\r\n|\r|\n/).entries()) {
    const part = full.replace(/^[ \t\f]+/, '')
    if (begun === undefined && /^(?:[#!]|$)/.test(part)) continue
    const goesOn = /(?<!\\)(?:\\\\)*\\$/.test(part)
    const content = (begun?.content ?? '') + (goesOn ? part.slice(0, -1) : part)
    const whole = { content, line: begun?.line ?? index + 1 }
    begun = goesOn ? whole : undefined
    if (!goesOn && content !== '') lines.push(whole)
  }
  return begun === undefined || begun.content === '' ? lines : [...lines, begun]
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' }

function unescaped(text: string, source: string): string {
  return text.replace(/\\(?:u(.{0,4})|(.))/gs, (_all, code: string | undefined, one = '') => {
    if (code === undefined) return escapes[one as string] ?? (one as string)
    if (!/^[\da-f]{4}$/i.test(code))
      throw invalidArgument(`${source}: \\u must be followed by four hexadecimal digits.`)
    return String.fromCharCode(Number.parseInt(code, 16))
  })
}

/** The letters of the core workloads. */
export const ycsbPresetNames = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** A core workload of YCSB. */
export type YcsbPresetName = (typeof ycsbPresetNames)[number]

/** Every core workload has these; a preset names what differs. */
const common = {
  recordcount: 1_000,
  operationcount: 1_000,
  readproportion: 0,
  updateproportion: 0,
  insertproportion: 0,
  scanproportion: 0,
  readmodifywriteproportion: 0,
  requestdistribution: 'zipfian',
}

const presets: Readonly<Record<YcsbPresetName, Readonly<Record<string, string | number>>>> = {
  a: { readproportion: 0.5, updateproportion: 0.5 },
  b: { readproportion: 0.95, updateproportion: 0.05 },
  c: { readproportion: 1 },
  d: { readproportion: 0.95, insertproportion: 0.05, requestdistribution: 'latest' },
  e: { scanproportion: 0.95, insertproportion: 0.05, maxscanlength: 100, scanlengthdistribution: 'uniform' },
  f: { readproportion: 0.5, readmodifywriteproportion: 0.5 },
}

/**
 * The properties of a core workload: A updates half of the time, B reads mostly, C only reads, D reads the latest, E scans,
 * F reads, modifies and writes. Each is for 1,000 records and operations; give others.
 */
export function ycsbPreset(name: YcsbPresetName): Properties {
  const source = `preset ${name}`
  const entries = Object.entries({ ...common, ...presets[name] })
  return new Map(entries.map(([property, value]) => [property, { value: String(value), source }]))
}
