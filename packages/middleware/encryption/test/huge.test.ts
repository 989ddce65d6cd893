import { expect, test } from 'vitest'
import { type OpenOptions, open, openStream, seal } from '../src/index.ts'
import { codeOf, keys } from './records.ts'

const bytes = Number(process.env['UNIKV_HUGE_BYTES'] ?? 20_000_000)
const at: OpenOptions = { keys, dataset: 'users', key: 'huge' }

test('a value that is longer than one piece can be is given back, and refused if one bit is wrong', {
  timeout: 600_000,
}, async () => {
  const value = Buffer.alloc(bytes, 'a value that is long')
  const envelope = Buffer.from(seal(value, at).buffer)
  expect(envelope[6]).toBe(0x10)
  expect(value.equals(open(envelope, at))).toBe(true)
  let from = 0
  for await (const part of openStream([envelope], at)) {
    expect(value.compare(part, 0, part.length, from, from + part.length)).toBe(0)
    from += part.length
  }
  expect(from).toBe(bytes)
  const last = envelope.length - 20
  envelope[last] = (envelope[last] as number) ^ 1
  expect(codeOf(() => open(envelope, at))).toBe('AUTHENTICATION_FAILED')
})
