import fc from 'fast-check'
import { expect, test } from 'vitest'
import { binaryRecord, textRecord } from '../src/found-record.ts'

/** A row in the binary form of the protocol. */
function rowOf(columns: readonly (Uint8Array | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(columns.length)
  const parts = columns.flatMap((column) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(column?.length ?? -1)
    return column === null ? [length] : [length, column]
  })
  return Buffer.concat([count, ...parts])
}

function int8(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

const anyBytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))

test('a row as bytes and the same row as text are the same record', () => {
  const anyRow = fc.record({
    version: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    expiresAt: fc.option(fc.maxSafeInteger()),
    body: fc.option(anyBytes(200)),
    key: fc.option(anyBytes(40)),
    before: anyBytes(10),
    after: anyBytes(10),
  })
  const property = fc.property(anyRow, ({ version, expiresAt, body, key, before, after }) => {
    const expiry = expiresAt === null ? null : int8(expiresAt)
    const columns = [version, expiry, body, ...(key === null ? [] : [key])]
    const record = binaryRecord(Buffer.concat([before, rowOf(columns), after]), before.length)
    const asText = textRecord([
      version.toString('hex'),
      expiresAt === null ? null : String(expiresAt),
      body === null ? null : body.toString('base64'),
      ...(key === null ? [] : [key.toString('hex')]),
    ])
    const decoded = typeof asText.body === 'string' ? Buffer.from(asText.body, 'base64') : null
    expect(record).toEqual({ ...asText, body: decoded })
    expect(Buffer.from(record.key, 'latin1')).toEqual(key ?? Buffer.alloc(0))
  })
  fc.assert(property, { numRuns: 1_000 })
})

test('a small body does not keep the memory that it came in', () => {
  const row = rowOf([Buffer.alloc(12), null, Buffer.from('body')])
  const chunk = new Uint8Array(65_536)
  chunk.set(row)
  const { body } = binaryRecord(Buffer.from(chunk.buffer), 0)
  chunk.fill(0)
  expect(body).toEqual(Buffer.from('body'))
})

test('a row that ends before its columns do is an error', () => {
  const row = rowOf([Buffer.alloc(12), null, Buffer.from('body')])
  for (let length = 0; length < row.length; length++)
    expect(() => binaryRecord(row.subarray(0, length), 0)).toThrow(RangeError)
})
