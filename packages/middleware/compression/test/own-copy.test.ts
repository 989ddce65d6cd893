import { isPromise } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { compress, decompress } from '../src/index.ts'
import { onKeptCopy, onOwnCopy } from '../src/own-copy.ts'
import { prose } from './samples.ts'

const memoryOf = async (length: number): Promise<ArrayBufferLike> =>
  onKeptCopy(new Uint8Array(length), async ({ buffer }) => buffer)

describe('a copy for another thread', () => {
  test('is in memory that is used again once its work has ended', async () => {
    const first = await memoryOf(1000)
    expect(await memoryOf(262_144)).toBe(first)
  })

  test('shares its memory with no other that is worked on', async () => {
    const values = Array.from({ length: 12 }, (_, i) => new Uint8Array(1000 + i).fill(i))
    const copies = await Promise.all(
      values.map(async (value) =>
        onKeptCopy(value, async (copy) => {
          value.fill(255)
          await Promise.resolve()
          return { buffer: copy.buffer, content: new Set(copy), length: copy.length }
        }),
      ),
    )
    expect(new Set(copies.map(({ buffer }) => buffer)).size).toBe(12)
    expect(copies.map(({ content, length }) => [...content, length])).toEqual(
      values.map((_, i) => [i, 1000 + i]),
    )
  })

  test('keeps 1 MiB at most: the memory of four', async () => {
    const buffers = async (): Promise<Set<ArrayBufferLike>> =>
      new Set(await Promise.all(Array.from({ length: 12 }, async () => memoryOf(1000))))
    const before = await buffers()
    const kept = Array.from(await buffers()).filter((buffer) => before.has(buffer))
    expect(kept.length).toBe(4)
    expect(kept.every(({ byteLength }) => byteLength === 262_144)).toBe(true)
  })

  test('gives its memory back when the work fails', async () => {
    const first = await memoryOf(1)
    const failing = onKeptCopy(new Uint8Array(1), async () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await memoryOf(1)).toBe(first)
  })

  test('has memory of its own where it is larger, or all memory behind it would be sent', async () => {
    expect((await memoryOf(262_145)).byteLength).toBe(262_145)
    const alone = await onOwnCopy(Buffer.from('abc'), async (copy) => copy.buffer.byteLength)
    expect(alone).toBe(3)
  })
})

test.each(['gzip', 'deflate', 'brotli', 'zstd', 'lz4', 'snappy'] as const)(
  '%s: many values at a time, changed right after, come back as they were',
  async (algorithm) => {
    const sizes = [40_000, 262_144, 100_000, 262_145, 70_000, 50_001, 200_000, 99_999]
    const values = sizes.map((size, i) => Buffer.from(prose(size + i)).subarray(i))
    values.push(Buffer.from(Array.from({ length: 80_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24)))
    const before = values.map((value) => Buffer.from(value))
    const frames = values.map((value) => {
      const frame = compress(value, { algorithm })
      expect(isPromise(frame)).toBe(true)
      value.fill(0)
      return frame
    })
    for (const [i, frame] of frames.entries())
      expect(Buffer.compare(await decompress(await frame), before[i] as Buffer)).toBe(0)
  },
)
