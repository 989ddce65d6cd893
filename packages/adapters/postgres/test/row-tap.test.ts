import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RowTap, tapOf, tapRows } from '../src/client/row-tap.ts'

const rowLetter = 'D'
const anyMessage = fc.record({
  letter: fc.constantFrom('2', rowLetter, rowLetter, 'C', 'Z', 'N'),
  body: fc.uint8Array({ maxLength: 300 }),
})

function encoded({ letter, body }: { readonly letter: string; readonly body: Uint8Array }): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** Pieces of the given lengths, over and over. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] as number
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

test('however the bytes are cut, rows are taken whole, and everything else is passed on in order', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 })
  const property = fc.property(fc.array(anyMessage, { maxLength: 40 }), lengths, (messages, pieces) => {
    const tap = new RowTap()
    const seen: string[] = []
    let passed = Buffer.alloc(0)
    tap.on('data', (bytes: Buffer) => {
      passed = Buffer.concat([passed, bytes])
      seen.push('passed')
    })
    const rows: Buffer[] = []
    tap.take({
      takeRow(bytes, start) {
        rows.push(bytes.subarray(start, start - 4 + bytes.readUInt32BE(start - 4)))
        seen.push('row')
      },
    })
    for (const piece of cut(Buffer.concat(messages.map(encoded)), pieces)) tap.push(piece)
    const [taken, others] = [true, false].map((isRow) =>
      messages.filter(({ letter }) => (letter === rowLetter) === isRow),
    ) as [typeof messages, typeof messages]
    expect(rows).toEqual(taken.map(({ body }) => Buffer.from(body)))
    expect(passed).toEqual(Buffer.concat(others.map(encoded)))
    if (messages[0]?.letter !== rowLetter && messages.length > 0) expect(seen[0]).toBe('passed')
    if (messages.at(-1)?.letter === rowLetter) expect(seen.at(-1)).toBe('row')
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('rows of statements that take none are passed on, also after one that took some', () => {
  const property = fc.property(
    fc.array(fc.boolean(), { maxLength: 12 }),
    fc.integer({ min: 1, max: 64 }),
    (takes, length) => {
      const tap = new RowTap()
      const passed: Buffer[] = []
      tap.on('data', (bytes: Buffer) => passed.push(bytes))
      for (const isTaking of takes) {
        let rows = 0
        const taker = { takeRow: () => void rows++ }
        if (isTaking) tap.take(taker)
        const [row, ready] = [rowLetter, 'Z'].map((letter) =>
          encoded({ letter, body: Buffer.alloc(50, letter) }),
        ) as [Buffer, Buffer]
        passed.length = 0
        for (const piece of cut(Buffer.concat([row, row, ready]), [length])) tap.push(piece)
        tap.leave(taker)
        expect(rows).toBe(isTaking ? 2 : 0)
        expect(Buffer.concat(passed)).toEqual(isTaking ? ready : Buffer.concat([row, row, ready]))
      }
    },
  )
  fc.assert(property)
})

test('one that leaves late does not take the rows of the next away', () => {
  const tap = new RowTap()
  let rows = 0
  const [first, second] = [{ takeRow: () => {} }, { takeRow: () => void rows++ }]
  tap.take(first)
  tap.take(second)
  tap.leave(first)
  tap.push(encoded({ letter: rowLetter, body: Buffer.alloc(6) }))
  expect(rows).toBe(1)
})

test('a length that makes no sense is passed on, for pg to tell', () => {
  const tap = new RowTap()
  const passed: Buffer[] = []
  tap.on('data', (bytes: Buffer) => passed.push(bytes))
  const nonsense = Buffer.from('Z\0\0\0\0Z\0\0\0\0')
  tap.push(nonsense)
  expect(Buffer.concat(passed)).toEqual(nonsense)
})

test('a connection that was tapped reads by its tap, and hears of the end', () => {
  const socket = new EventEmitter()
  const heard: unknown[] = []
  const connection = {
    attachListeners(stream: EventEmitter) {
      stream.on('data', (bytes: Buffer) => heard.push(bytes.toString()))
      stream.on('end', () => heard.push('end'))
    },
  }
  tapRows(connection)
  expect(tapOf(connection)).toBeUndefined()
  connection.attachListeners(socket)
  expect(tapOf(connection)).toBeInstanceOf(RowTap)
  socket.emit('data', encoded({ letter: 'Z', body: Buffer.from('I') }))
  socket.emit('end')
  expect(heard).toEqual(['Z\0\0\0\u0005I', 'end'])
})
