import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Bytes } from '@unikv/core'
import { expect } from 'vitest'
import type { Records } from '../chains/random-chain.ts'

const script = fileURLToPath(new URL('make_records.py', import.meta.url))

/** Records by key, in hexadecimal. */
export type HexRecords = Readonly<Record<string, string>>

/** What `make_records.py --read` is asked. */
export interface ReadCase {
  readonly key: string
  readonly records: HexRecords
  readonly maxOutputBytes?: number | undefined
}

/** What it answers: a value and what the head of its chain tells, or the code of the refusal. */
export type ReadAnswer =
  | { readonly value: string; readonly chain: ChainTold | null; readonly refused?: undefined }
  | { readonly refused: string; readonly value?: undefined }

/** What the head of a chain tells. */
export interface ChainTold {
  /** When the first part ends, in milliseconds since the epoch; 0: never. */
  readonly ends: number
  /** How many deltas each record has. */
  readonly counts: readonly number[]
  /** How many deltas stand in the head. */
  readonly inline: number
  /** Of the base, then of the records. */
  readonly ids: readonly string[]
}

/** What `make_records.py --write` is asked; without counts the value stands in the head. */
export interface WriteCase {
  readonly key: string
  readonly values: readonly string[]
  readonly counts: readonly number[] | null
  readonly ends: number
  readonly ids: readonly string[]
}

export const hasPython = spawnSync('python3', ['--version']).status === 0

export const hex = (bytes: Bytes): string => Buffer.from(bytes).toString('hex')

/** The records of one key and its parts, in hexadecimal. */
export function hexRecords(records: Records): HexRecords {
  return Object.fromEntries(Array.from(records, ([key, { value }]) => [key, hex(value)]))
}

/** The values that the Python program reads from these records. */
export function readByPython(cases: readonly ReadCase[]): readonly ReadAnswer[] {
  return answers('--read', cases) as readonly ReadAnswer[]
}

/** The records that the Python program writes for these values. */
export function writtenByPython(cases: readonly WriteCase[]): readonly HexRecords[] {
  return answers('--write', cases) as readonly HexRecords[]
}

/** Whether the committed file is what the Python program would write. */
export function isUpToDate(): boolean {
  return spawnSync('python3', [script, '--check']).status === 0
}

function answers(mode: string, cases: readonly object[]): readonly unknown[] {
  const input = cases.map((one) => JSON.stringify(one)).join('\n')
  const { status, stdout, stderr } = spawnSync('python3', [script, mode], { input, maxBuffer: 2 ** 28 })
  expect(stderr.toString()).toBe('')
  expect(status).toBe(0)
  return stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}
