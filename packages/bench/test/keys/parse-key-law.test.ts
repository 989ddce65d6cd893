import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyLawSchema, parseKeyLaw } from '../../src/keys/key-law.ts'

const zipfian = { kind: 'zipfian', theta: 0.99, law: 'ycsb', scrambled: true }
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'unikv-laws-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('parseKeyLaw', () => {
  test.each([
    ['uniform', { kind: 'uniform' }],
    ['sequential', { kind: 'sequential' }],
    ['zipfian', zipfian],
    [' zipfian : 0.8 ', { ...zipfian, theta: 0.8 }],
    ['zipfian:1.2', { ...zipfian, theta: 1.2, law: 'exact' }],
    ['zipfian-exact', { ...zipfian, law: 'exact' }],
    ['zipfian-plain', { ...zipfian, scrambled: false }],
    ['zipfian-exact-plain:0.5', { ...zipfian, theta: 0.5, law: 'exact', scrambled: false }],
    ['latest', { kind: 'latest', theta: 0.99, law: 'ycsb' }],
    ['latest-exact:1.5', { kind: 'latest', theta: 1.5, law: 'exact' }],
    ['hotspot', { kind: 'hotspot', dataFraction: 0.2, operationFraction: 0.8 }],
    ['hotspot:0.1', { kind: 'hotspot', dataFraction: 0.1, operationFraction: 0.8 }],
    ['hotspot:0.1,0.9', { kind: 'hotspot', dataFraction: 0.1, operationFraction: 0.9 }],
    ['exponential', { kind: 'exponential', percentile: 95, fraction: 0.8571428571 }],
    ['exponential:90,0.5', { kind: 'exponential', percentile: 90, fraction: 0.5 }],
  ])('reads %j', (text, law) => expect(parseKeyLaw(text)).toEqual(law))

  test.each([
    ['zipfan', "Keys: 'zipfan' is not a known law. Did you mean 'zipfian'?"],
    ['Latest', "Did you mean 'latest'?"],
    ['pareto', "'pareto' is not a known law. Choose one of uniform, sequential, zipfian, "],
    ['', "'' is not a known law. Choose one of"],
    ['toString', 'is not a known law'],
    ['zipfian:x', "Keys: 'zipfian:x' cannot be read: write it as in zipfian:0.99."],
    ['zipfian:0.5,', 'cannot be read'],
    ['uniform:3', "'uniform:3' cannot be read: write it as in uniform."],
    ['hotspot:0.2,0.8,1', 'write it as in hotspot:0.2,0.8'],
    ['zipfian:0', "'zipfian:0' is not possible: theta: "],
    ['zipfian-exact:-1', 'is not possible: theta: '],
    ['hotspot:2', "'hotspot:2' is not possible: dataFraction: "],
    ['exponential:100', 'is not possible: percentile: '],
    ['histogram', "A histogram needs a file: write 'histogram:FILE'"],
    ['histogram:/nowhere/at.all', 'The histogram /nowhere/at.all cannot be read'],
  ])('refuses %j', (text, message) => {
    expect(() => parseKeyLaw(text)).toThrow(message)
    expect(() => parseKeyLaw(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })

  const file = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }

  test('reads the histogram of a file', () => {
    const path = file('good', 'BlockSize\t100\n0\t3\n\n2\t1\r\n')
    expect(parseKeyLaw(`histogram:${path}`)).toEqual({
      kind: 'histogram',
      blockSize: 100,
      buckets: [3, 0, 1],
    })
  })

  test.each([
    ['', 'Line 1 of the histogram', 'BlockSize, a tab and the width'],
    ['BlockSize\t0\n0\t1', 'Line 1', 'BlockSize, a tab and the width'],
    ['BlockSize\t10\n0\t1\n\n1 x', 'Line 4', 'must be a bucket from 0'],
    ['BlockSize\t10\n-1\t1', 'Line 2', 'must be a bucket from 0'],
    ['BlockSize\t10\n1000000\t1', 'Line 2', 'must be a bucket from 0 to 999999'],
    ['BlockSize\t10\n0\t1\t2', 'Line 2', 'must be a bucket from 0'],
    ['BlockSize\t10\n0\t0', 'counts nothing', 'above 0'],
  ])('names the line that is wrong in %j', (text, line, must) => {
    const path = file('bad', text)
    expect(() => parseKeyLaw(`histogram:${path}`)).toThrow(line)
    expect(() => parseKeyLaw(`histogram:${path}`)).toThrow(must)
    expect(() => parseKeyLaw(`histogram:${path}`)).toThrow(path)
  })
})

describe('keyLawSchema', () => {
  test('fills in the defaults of YCSB', () => {
    expect(keyLawSchema.parse({ kind: 'zipfian' })).toEqual(zipfian)
  })

  test('refuses an exponent that the law of YCSB cannot have, and fields that it does not know', () => {
    expect(() => keyLawSchema.parse({ kind: 'zipfian', theta: 1 })).toThrow('take the law \\"exact\\"')
    expect(() => keyLawSchema.parse({ kind: 'latest', theta: 1.2 })).toThrow('must be below 1')
    expect(() => keyLawSchema.parse({ kind: 'uniform', theta: 1 })).toThrow('theta')
    expect(() => keyLawSchema.parse({ kind: 'histogram', blockSize: 1, buckets: [0] })).toThrow('above 0')
  })
})
