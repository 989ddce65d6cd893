import { crc32 } from 'node:zlib'
import { diff, patch } from '@unikv/delta'
import { describe, expect, test } from 'vitest'
import { drawing, type Edited, editPatterns, hostilePatterns } from '../measure/edit-patterns.ts'
import { comparedSizes, recordedBytes, recordedSeeds } from '../measure/xdelta3-sizes.ts'

describe.each(Object.entries(editPatterns))('%s', (name, make) => {
  const recorded = recordedBytes[name]
  const inputs = recordedSeeds.map((seed) => comparedSizes.map((size) => make(size, drawing(seed))))

  test('has inputs that the recorded figures are of', () => {
    const sum = (before: number, { base, target }: Edited): number => crc32(target, crc32(base, before))
    expect(inputs.flat().reduce(sum, 0)).toBe(recorded?.inputs)
  })

  test('gives deltas that are no longer than those of xdelta3 -9 without secondary compression', () => {
    inputs.forEach((ofSeed, i) => {
      ofSeed.forEach(({ base, target }, k) => {
        const delta = diff(base, target)
        expect(Buffer.compare(patch(base, delta), target)).toBe(0)
        expect(delta.length, `seed ${recordedSeeds[i]}, ${base.length} bytes`).toBeLessThanOrEqual(
          recorded?.bytes[i]?.[k] as number,
        )
      })
    })
  })
})

test.each(Object.entries(hostilePatterns))('%s: the delta gives the target and is no longer', (_, make) => {
  for (const size of comparedSizes.slice(0, 3)) {
    const { base, target } = make(size, drawing(5))
    const delta = diff(base, target)
    expect(Buffer.compare(patch(base, delta), target)).toBe(0)
    expect(delta.length).toBeLessThanOrEqual(target.length + 20)
  }
})
