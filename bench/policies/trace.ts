import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Requests in their order: what was asked for, and how large it was. */
export interface Trace {
  readonly keys: readonly string[]
  /** In bytes, request by request; 1 where the trace has no sizes. */
  readonly sizes: readonly number[]
  /** Whether it has sizes. */
  readonly isSized: boolean
}

/** One line, or nothing for one without a request. */
type Parse = (line: string) => readonly (readonly [key: string, bytes: number])[]

const plain: Parse = (line) => {
  const [key = '', bytes = '1'] = line.split('\t')
  return [[key, Number(bytes)]]
}

/** Block, number of blocks, and more: the traces of ARC (Megiddo and Modha). */
const arc: Parse = (line) => {
  const [start, count] = line.trim().split(/\s+/).map(Number) as [number, number]
  if (!(start >= 0 && count >= 1)) return [['', Number.NaN]]
  return Array.from({ length: count }, (_, i) => [String(start + i), 1])
}

/** Time, key, bytes of the key, bytes of the value, and more: the traces of Twitter's caches. */
const twitter: Parse = (line) => {
  const [, key = '', keyBytes, valueBytes] = line.split(',')
  return [[key, Number(keyBytes) + Number(valueBytes)]]
}

/** `{ "key": …, "bytes": … }` */
const json: Parse = (line) => {
  const { key, bytes = 1 } = JSON.parse(line) as { readonly key: unknown; readonly bytes?: unknown }
  return [[String(key), Number(bytes)]]
}

/** Found by the end of the name, before `.gz`. */
const formats: Readonly<Record<string, Parse>> = {
  tsv: plain,
  trc: plain,
  lis: arc,
  csv: twitter,
  jsonl: json,
}

/**
 * Read a trace: `.tsv` (key, tab, bytes), `.trc` (LIRS: a block a line), `.lis` (ARC), `.csv` (Twitter's caches), `.jsonl`
 * (`{ "key", "bytes" }`), `.oracleGeneral` (libCacheSim); each also as `.gz`.
 *
 * @throws Error that names the file and the line that is none
 */
export function readTrace(path: string): Trace {
  const stored = readFileSync(path)
  const bytes = path.endsWith('.gz') ? gunzipSync(stored) : stored
  const format = /\.([a-z]+)(\.gz)?$/i.exec(path)?.[1] ?? ''
  if (format === 'oracleGeneral') return traceOf(oracleGeneral(bytes))
  const parse = formats[format]
  if (parse === undefined)
    throw new Error(`${path}: a trace ends in ${Object.keys(formats).join(', ')} or oracleGeneral`)
  return traceOf(requestsIn(bytes.toString(), parse, path))
}

function* requestsIn(text: string, parse: Parse, path: string): Generator<readonly [string, number]> {
  let number = 0
  for (const line of text.split('\n')) {
    number++
    if (line.trim() === '' || line.startsWith('#')) continue
    for (const [key, bytes] of requestsOf(line, parse)) {
      if (key === '' || !(bytes >= 0))
        throw new Error(`${path}:${number} is not a request: ${line.slice(0, 80)}`)
      yield [key, bytes]
    }
  }
}

function requestsOf(line: string, parse: Parse): ReturnType<Parse> {
  try {
    return parse(line)
  } catch {
    return [['', Number.NaN]]
  }
}

/** Records of 24 bytes: time, id, bytes, next request. */
function* oracleGeneral(bytes: Buffer): Generator<readonly [string, number]> {
  for (let at = 0; at + 24 <= bytes.length; at += 24)
    yield [String(bytes.readBigUInt64LE(at + 4)), bytes.readUInt32LE(at + 12)]
}

function traceOf(requests: Iterable<readonly [string, number]>): Trace {
  const keys: string[] = []
  const sizes: number[] = []
  let isSized = false
  for (const [key, bytes] of requests) {
    keys.push(key)
    // An empty object still takes its place.
    sizes.push(Math.max(1, bytes))
    if (bytes !== 1) isSized = true
  }
  return { keys, sizes, isSized }
}

/** Bytes of all objects (the last size of each), or their number if the trace has no sizes. */
export function footprint({ keys, sizes }: Trace): number {
  const last = new Map<string, number>()
  for (const [i, key] of keys.entries()) last.set(key, sizes[i] as number)
  let sum = 0
  for (const bytes of last.values()) sum += bytes
  return sum
}
