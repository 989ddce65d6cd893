import { Random } from '@unikv/test-kit/schedules'

/** A base, and what became of it. */
export interface Edited {
  readonly base: Buffer
  readonly target: Buffer
}

/** Whole numbers from 0 up to, not including, `below`. */
export type Draw = (below: number) => number

/** Numbers that are the same for the same seed. */
export function drawing(seed: number): Draw {
  const random = new Random(seed)
  return (below) => random.below(below)
}

/** How values change: a base of `size` bytes and its target, the same for the same seed. */
export const editPatterns: Readonly<Record<string, (size: number, draw: Draw) => Edited>> = {
  'JSON, 1 % in 8-byte edits': (size, draw) => overwritten(json(size, draw), 8, letters(draw), draw),
  'JSON, 1 % in single bytes': (size, draw) => overwritten(json(size, draw), 1, letters(draw), draw),
  'JSON, 650 inserts and deletes a MiB': (size, draw) => shifted(json(size, draw), draw),
  'JSON, append 1 % of own text': (size, draw) => {
    const base = json(size, draw)
    const length = onePercent(size)
    const from = draw(size - length)
    return { base, target: Buffer.concat([base, base.subarray(from, from + length)]) }
  },
  'JSON, block moves of 16 KiB': (size, draw) => moved(json(size, draw), Math.min(16_384, size >> 2), draw),
  'random, 1 % in 8-byte edits': (size, draw) => overwritten(random(size, draw), 8, () => draw(256), draw),
  'random, append 1 % random': (size, draw) => {
    const base = random(size, draw)
    return { base, target: Buffer.concat([base, random(onePercent(size), draw)]) }
  },
  'unrelated random': (size, draw) => ({ base: random(size, draw), target: random(size, draw) }),
}

/** Inputs that are made to keep a matcher busy for nothing. */
export const hostilePatterns: Readonly<Record<string, (size: number, draw: Draw) => Edited>> = {
  zeros: (size) => ({ base: Buffer.alloc(size), target: Buffer.alloc(size + 1000) }),
  'zeros, spotted': (size, draw) => overwritten(Buffer.alloc(size), 1, () => 1 + draw(255), draw),
  'periods of 2 and 3': (size) => ({ base: periodic(size, 2), target: periodic(size, 3) }),
  'period of 7, spotted': (size, draw) => overwritten(periodic(size, 7), 1, () => draw(256), draw),
  'period of 16, shifted': (size, draw) => shifted(periodic(size, 16), draw),
  'periods of 63 and 64': (size) => ({ base: periodic(size, 63), target: periodic(size, 64) }),
  'period of 64, spotted': (size, draw) => overwritten(periodic(size, 64), 1, () => draw(256), draw),
  'one long line, shifted': (size, draw) => {
    const line = json(4000, draw)
    return shifted(Buffer.alloc(size, line), draw)
  },
  'rows of one width, one inserted': (size, draw) => {
    const base = rows(size, draw)
    const at = 64 * draw(Math.floor(size / 128))
    const row = rows(64, draw)
    return { base, target: Buffer.concat([base.subarray(0, at), row, base.subarray(at)]) }
  },
  'Fibonacci, spotted': (size, draw) => overwritten(fibonacci(size), 1, () => 97 + draw(3), draw),
  'Fibonacci and Thue-Morse': (size) => ({ base: fibonacci(size), target: thueMorse(size) }),
  'two letters, unrelated': (size, draw) => ({
    base: filled(size, () => 97 + draw(2)),
    target: filled(size, () => 97 + draw(2)),
  }),
  'windows that nearly match': (size, draw) => {
    const base = json(size, draw)
    const target = Buffer.from(base)
    for (let at = 15; at < size; at += 15) target[at] = 33 + draw(90)
    return { base, target: Buffer.concat([target.subarray(5), target.subarray(0, 5)]) }
  },
}

const letters = (draw: Draw) => () => 97 + draw(26)

const onePercent = (size: number): number => Math.max(1, Math.floor(size / 100))

/** Records of an application, `size` bytes of them. */
function json(size: number, draw: Draw): Buffer {
  const word = (): string =>
    Array.from({ length: 3 + draw(8) }, () => String.fromCharCode(97 + draw(26))).join('')
  const words = Array.from({ length: 300 }, word)
  const pick = (): string => words[draw(words.length)] as string
  const parts: string[] = []
  for (let length = 0, id = 1000; length < size; id++) {
    const record = {
      id,
      name: `${pick()} ${pick()}`,
      email: `${pick()}@${pick()}.org`,
      active: draw(2) === 1,
      score: draw(100_000) / 100,
      tags: [pick(), pick()],
      note: `${pick()} ${pick()} ${pick()} ${pick()}`,
    }
    const text = `${JSON.stringify(record)},`
    parts.push(text)
    length += text.length
  }
  return Buffer.from(`[${parts.join('')}`, 'latin1').subarray(0, size)
}

function random(size: number, draw: Draw): Buffer {
  return filled(size, () => draw(256))
}

function filled(size: number, byte: (at: number) => number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at++) bytes[at] = byte(at)
  return bytes
}

/** One per cent of the bytes written over, `length` at a time. */
function overwritten(base: Buffer, length: number, byte: () => number, draw: Draw): Edited {
  const target = Buffer.from(base)
  const edits = Math.max(1, Math.round(base.length / 100 / length))
  for (let edit = 0; edit < edits; edit++) {
    const at = draw(base.length - length)
    for (let i = 0; i < length; i++) target[at + i] = byte()
  }
  return { base, target }
}

/** Insertions and deletions of 1 to 16 bytes by turns, 650 a MiB. */
function shifted(base: Buffer, draw: Draw): Edited {
  const edits = Math.max(1, Math.round((base.length * 650) / 1_048_576))
  const places = Array.from({ length: edits }, () => draw(base.length)).toSorted((a, b) => a - b)
  const parts: Buffer[] = []
  let from = 0
  places.forEach((place, i) => {
    const start = Math.max(from, place)
    parts.push(base.subarray(from, start))
    const length = 1 + draw(16)
    if (i % 2 === 0) parts.push(filled(length, letters(draw)))
    from = i % 2 === 0 ? start : Math.min(base.length, start + length)
  })
  parts.push(base.subarray(from))
  return { base, target: Buffer.concat(parts) }
}

/** Four blocks cut out and put in elsewhere. */
function moved(base: Buffer, length: number, draw: Draw): Edited {
  let target = base
  for (let i = 0; i < 4; i++) {
    const from = draw(base.length - length)
    const block = target.subarray(from, from + length)
    const rest = Buffer.concat([target.subarray(0, from), target.subarray(from + length)])
    const to = draw(rest.length)
    target = Buffer.concat([rest.subarray(0, to), block, rest.subarray(to)])
  }
  return { base, target }
}

function periodic(size: number, period: number): Buffer {
  return filled(size, (at) => 65 + (at % period))
}

/** Lines of 64 bytes that differ in a number and in one word. */
function rows(size: number, draw: Draw): Buffer {
  const lines = Array.from({ length: Math.ceil(size / 64) }, (_, i) => {
    const word = Array.from({ length: 6 }, letters(draw))
    return `${String(i).padStart(8, '0')} status=ok level=info node=a ${String.fromCharCode(...word)}`.padEnd(
      63,
      '.',
    )
  })
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1').subarray(0, size)
}

function fibonacci(size: number): Buffer {
  let [a, b] = ['a', 'ab']
  while (b.length < size) [a, b] = [b, b + a]
  return Buffer.from(b.slice(0, size), 'latin1')
}

function thueMorse(size: number): Buffer {
  return filled(size, (at) => {
    let ones = 0
    for (let rest = at; rest > 0; rest >>>= 1) ones += rest & 1
    return 97 + (ones % 2)
  })
}
