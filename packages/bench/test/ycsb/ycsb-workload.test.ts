import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keyChooser } from '../../src/keys/key-chooser.ts'
import { KeySpace, keyNames } from '../../src/keys/key-space.ts'
import { fastRandom } from '../../src/random/random.ts'
import { givenProperty, parseProperties, ycsbPreset, ycsbPresetNames } from '../../src/ycsb/properties.ts'
import { workloadOfProperties, type YcsbReading } from '../../src/ycsb/ycsb-workload.ts'

function read(text: string): YcsbReading {
  return workloadOfProperties(parseProperties(text, 'mine'))
}

const zipfian = { kind: 'zipfian', theta: 0.99, law: 'ycsb', scrambled: true }

describe('presets', () => {
  test.each([
    ['a', { read: 0.5, update: 0.5 }, zipfian],
    ['b', { read: 0.95, update: 0.05 }, zipfian],
    ['c', { read: 1 }, zipfian],
    ['d', { read: 0.95, insert: 0.05 }, { kind: 'latest', theta: 0.99, law: 'ycsb' }],
    ['e', { scan: 0.95, insert: 0.05 }, zipfian],
    ['f', { read: 0.5, 'read-modify-write': 0.5 }, zipfian],
  ] as const)('%s has the mix and the law of its core workload', (name, mix, keys) => {
    const { workload, warnings } = workloadOfProperties(ycsbPreset(name))
    expect(workload).toMatchObject({ records: 1_000, insertStart: 0, operations: 1_000, mix, keys })
    expect(workload.mix).toEqual(mix)
    expect(workload.valueBytes).toEqual({ kind: 'constant', length: 1_000 })
    expect(warnings).toEqual([])
  })

  test('e scans up to 100 records', () => {
    const { workload } = workloadOfProperties(ycsbPreset('e'))
    expect(workload.scanLength).toEqual({ kind: 'uniform', least: 1, most: 100 })
    expect(workload.expectedInserts).toBe(100)
  })

  test('all are plain data, and changed by what is given after them', () => {
    for (const name of ycsbPresetNames) {
      const given = givenProperty('recordcount=50')
      const { workload } = workloadOfProperties(new Map([...ycsbPreset(name), ...given]))
      expect(workload.records).toBe(50)
      expect(JSON.parse(JSON.stringify(workload))).toEqual(workload)
    }
  })

  test('c draws YCSB’s hottest key by its name', () => {
    const { workload } = workloadOfProperties(ycsbPreset('c'))
    const space = new KeySpace({ first: workload.insertStart, count: workload.records })
    const chooser = keyChooser(workload.keys, { ...workload, space, random: fastRandom(1) })
    const names = keyNames(workload.keyNames)
    const counts = new Map<string, number>()
    for (let i = 0; i < 20_000; i++) {
      const name = names(chooser.next())
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const [hottest] = [...counts].sort(([, a], [, b]) => b - a)
    expect(hottest?.[0]).toBe(names(144))
  })
})

describe('workloadOfProperties', () => {
  test('fills in the defaults of YCSB', () => {
    expect(read('recordcount=10')).toEqual({
      warnings: [],
      workload: {
        records: 10,
        insertStart: 0,
        operations: undefined,
        expectedInserts: 0,
        mix: { read: 0.95, update: 0.05 },
        keys: { kind: 'uniform' },
        keyNames: { prefix: 'user', order: 'hashed', zeroPadding: 1 },
        valueBytes: { kind: 'constant', length: 1_000 },
        scanLength: { kind: 'uniform', least: 1, most: 1_000 },
        concurrency: 1,
        targetRate: undefined,
        maxSeconds: undefined,
        checkReads: false,
        percentiles: [50, 95, 99],
      },
    })
  })

  test('takes every property that means something', () => {
    const { workload, warnings } = read(`
      workload=site.ycsb.workloads.CoreWorkload
      recordcount=200\noperationcount=1000\ninsertstart=100\ninsertcount=50
      readproportion=1\nupdateproportion=0\ninsertproportion=3
      requestdistribution=hotspot\nhotspotdatafraction=0.1\nhotspotopnfraction=0.9
      insertorder=ordered\nzeropadding=12\nreadallfields=true\nwriteallfields=true
      fieldcount=3\nfieldlength=50\nminfieldlength=10\nfieldlengthdistribution=uniform
      minscanlength=5\nmaxscanlength=50\nscanlengthdistribution=zipfian
      threadcount=16\ntarget=500\nmaxexecutiontime=30\ndataintegrity=true
      hdrhistogram.percentiles=50,99.9`)
    expect(workload).toEqual({
      records: 50,
      insertStart: 100,
      operations: 1_000,
      expectedInserts: 6_000,
      mix: { read: 1, insert: 3 },
      keys: { kind: 'hotspot', dataFraction: 0.1, operationFraction: 0.9 },
      keyNames: { prefix: 'user', order: 'ordered', zeroPadding: 12 },
      valueBytes: { kind: 'uniform', least: 10, most: 50, fields: 3 },
      scanLength: { kind: 'zipfian', least: 5, most: 50, theta: 0.99, law: 'ycsb' },
      concurrency: 16,
      targetRate: 500,
      maxSeconds: 30,
      checkReads: true,
      percentiles: [50, 99.9],
    })
    expect(warnings).toEqual([
      'Properties that change nothing here: hdrhistogram.percentiles (without meaning for unikv).',
      'insertcount leaves out records: the run uses 100 to 149, and inserts from 150 on.',
    ])
  })

  test.each([
    ['exponential\nexponential.percentile=90\nexponential.frac=0.5', { percentile: 90, fraction: 0.5 }],
    ['exponential', { percentile: 95, fraction: 0.8571428571 }],
    ['sequential', { kind: 'sequential' }],
    ['latest', { kind: 'latest', theta: 0.99, law: 'ycsb' }],
  ])('takes requestdistribution=%s', (text, keys) => {
    expect(read(`recordcount=1\nrequestdistribution=${text}`).workload.keys).toMatchObject(keys)
  })

  test('takes lengths of fields from a histogram', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'unikv-ycsb-'))
    const path = join(directory, 'hist.txt')
    writeFileSync(path, 'BlockSize\t10\n0\t1\n1\t2\n')
    const text = `recordcount=1\nfieldlengthdistribution=histogram\nfieldlengthhistogram=${path}`
    expect(read(text).workload.valueBytes).toEqual({
      kind: 'histogram',
      blockSize: 10,
      buckets: [1, 2],
      fields: 10,
    })
    await rm(directory, { recursive: true })
    expect(() => read(text)).toThrow(`The histogram ${path} cannot be read.`)
  })

  test('names everything that changes nothing in one warning, with the right name of a wrong one', () => {
    const { warnings } = read(
      'recordcount=1\ntable=t\nstatus.interval=5\nthreadcuont=8\nredis.host=h\nwriteallfields=false',
    )
    expect(warnings).toEqual([
      'Properties that change nothing here: table, status.interval, writeallfields (without meaning for unikv), ' +
        'threadcuont (unknown: did you mean threadcount?), redis.host (unknown).',
    ])
  })

  test('warns of reads and updates that only YCSB’s defaults ask for', () => {
    const { workload, warnings } = read('recordcount=1\ninsertproportion=1')
    expect(workload.mix).toEqual({ read: 0.95, update: 0.05, insert: 1 })
    expect(warnings).toEqual([
      'As in YCSB, readproportion is 0.95 and updateproportion is 0.05 unless the properties set it.',
    ])
  })

  test.each([
    ['', 'The property recordcount must be a whole number of 1 or more, but it is not set.'],
    [
      'recordcount=0',
      'The property recordcount (mine, line 1) must be a whole number of 1 or more, but it is',
    ],
    ['record_count=5', 'The property record_count (mine, line 1) is unknown. Did you mean recordcount?'],
    ['recordcount=1e3x', "of 1 or more, but it is '1e3x'."],
    ['recordcount=5\nzeropadding=x', 'zeropadding (mine, line 2) must be a whole number from 1 to 100'],
    ['recordcount=5\nreadproportion=-1', 'readproportion (mine, line 2) must be a number of 0 or more'],
    ['recordcount=5\nreadproportion=Infinity', 'readproportion (mine, line 2) must be a number'],
    ['recordcount=5\nreadproportion=0\nupdateproportion=0', 'All proportions of operations are 0.'],
    ['recordcount=5\ninsertstart=5', 'insertstart (mine, line 2) must be a whole number from 0 to 4'],
    ['recordcount=5\ninsertcount=6', 'insertcount (mine, line 2) must be a whole number from 1 to 5'],
    [
      'recordcount=5\nrequestdistribution=pareto',
      'must be uniform, zipfian, latest, hotspot, exponential or',
    ],
    [
      'recordcount=5\nminscanlength=2000',
      'minscanlength (mine, line 2) must be a whole number from 1 to 1000',
    ],
    ['recordcount=5\nthreadcount=0', 'threadcount (mine, line 2) must be'],
    ['recordcount=5\ntarget=-5', 'target (mine, line 2) must be'],
    ['recordcount=5\ninsertorder=random', 'must be hashed or ordered'],
    ['recordcount=5\ndataintegrity=yes', 'dataintegrity (mine, line 2) must be true or false'],
    ['recordcount=5\nfieldlength=', 'fieldlength (mine, line 2) must be a whole number from 1 to 1073741824'],
    ['recordcount=5\nhdrhistogram.percentiles=50,x', 'must be numbers up to 100'],
    ['recordcount=5\nworkload=site.ycsb.workloads.TimeSeriesWorkload', 'must be that of CoreWorkload'],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})
