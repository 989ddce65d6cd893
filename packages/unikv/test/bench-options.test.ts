import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnyStudy, alikeIn, configured, type Option, optionsOf } from '@unikv/bench'
import { studies } from '@unikv/bench/studies'
import { Command } from 'commander'
import { beforeAll, describe, expect, test } from 'vitest'
import { addStudyOptions } from '../src/cli/bench/study-options.ts'
import { withConfigFile } from '../src/cli/config-file.ts'
import { takesJson } from '../src/cli/option-values.ts'
import { inProcess, root } from './command-line.ts'

// One option of every study after the other, from its schema to all places that follow from it. `scripts/option-tables.mjs` checks
// the tables of the guides.

/** A value of each option that takes text, other than its default; that of another study where the name has a dot. */
const samples: Readonly<Record<string, unknown>> = {
  arrivals: 'poisson',
  bandwidth: '100',
  beside: 'keyv',
  budget: '10m',
  columns: 'time,key,-,size',
  compression: 'gzip',
  'consistency.callers': '1,2',
  delay: '2ms',
  delays: '0,50',
  disturb: 'true',
  duration: '7s',
  edits: 'append',
  encryption: 'aes-128-gcm',
  'fail-if': 'read.p99 > 10ms',
  'hit-rates': '0,50',
  horizon: '9s',
  keys: 'sequential',
  'deltas.keys': 3,
  'known-reads': '50',
  layers: '[{"cache":{}}]',
  levels: 'strong',
  load: 'a:read=1',
  connections: '3',
  merge: 'on',
  mix: 'read=1,scan=1',
  'on-miss': 'fill',
  only: 'stale',
  over: 'threads=1,2',
  phases: '[{"name":"a","duration":"1s"}]',
  preset: 'c',
  property: 'recordcount=7',
  'property-file': 'own.properties',
  rate: '100',
  reset: 'snapshot',
  restore: 'true',
  save: 'true',
  'scan-length': '3..4',
  shares: '5',
  sizes: '3,4',
  'sizes.preset': 'iyengar',
  speed: '3',
  start: 'empty',
  table: 't',
  trace: 'trace.csv',
  undo: 'true',
  until: '2%',
  'value-size': '2K',
  warmup: '3s',
  'when-full': 'queue',
  workload: 'own.mjs',
  'overhead.records': '2K,3K',
}

function sampleOf(study: string, { flag, argument, range, preset }: Option): unknown {
  if (argument === undefined) return true
  const own = samples[`${study}.${flag}`] ?? (range === undefined ? samples[flag] : undefined)
  return own ?? Math.min((range?.least ?? 0) + 1 + (Number(preset) || 0), range?.most ?? 1)
}

const loaded: AnyStudy[] = []
beforeAll(async () => {
  for (const { load } of studies) loaded.push(await load())
  await writeFile(join(root, 'trace.csv'), 'time,key\n1,a\n2,b')
  await writeFile(join(root, 'own.mjs'), 'export default { operations: { a: { weight: 1, run: () => 1 } } }')
  await writeFile(join(root, 'own.properties'), 'recordcount=8')
})
const studyOf = (name: string): AnyStudy => loaded.find((study) => study.name === name) as AnyStudy
const flat = (text: string): string => text.replace(/\s+/g, ' ')

describe.each(studies.map(({ name }) => name))('each option of bench %s', (name) => {
  test('has its help and default in --help', async () => {
    const study = studyOf(name)
    const help = flat((await inProcess(['bench', name, '--help'])).out)
    for (const { flag, argument, help: words, facts } of optionsOf(study)) {
      expect(facts.help).not.toContain('(default')
      const written = [facts.isArgument === true ? '' : `--${flag}`, argument ?? ''].filter(Boolean)
      expect(help).toContain(flat(facts.isArgument === true ? words : `${written.join(' ')} ${words}`))
    }
  })

  test('is taken from a configuration file as from the command line', async () => {
    const study = studyOf(name)
    const options = optionsOf(study).filter(({ facts }) => facts.isArgument !== true)
    const file = Object.fromEntries(options.map((option) => [option.name, inFile(sampleOf(name, option))]))
    await writeFile(join(root, `${name}.json`), JSON.stringify(file))
    const command = new Command()
    addStudyOptions(command.command('bench').command(name), study)
    const own = command.commands[0]!.commands[0]!
    own.action(() => {})
    const before = ['bench', name, ...(own.registeredArguments.length > 0 ? ['trace.csv'] : [])]
    const { args } = await withConfigFile([...before, '--config', join(root, `${name}.json`)], (option) =>
      takesJson(command, ['bench', name], option),
    )
    await command.parseAsync(args, { from: 'user' })
    for (const option of options) {
      const sample = sampleOf(name, option)
      const given = option.isList ? [sample] : sample
      expect(option.read(own.opts()[option.name]), option.name).toEqual(option.read(given))
    }
  })

  test('whose default stands in help means by it what is meant without it', async () => {
    const study = studyOf(name)
    for (const { preset, facts, path, read, isList } of optionsOf(study)) {
      if (preset === undefined || facts.preset !== undefined || facts.textOf === undefined) continue
      const without = path
        .slice(1)
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], base(study))
      expect(read(isList ? [preset] : preset), path.join('.')).toEqual(without)
    }
  })
})

/** Defaults of a configuration, whatever else it needs. */
function base({ config }: AnyStudy): unknown {
  const needed = {
    table: 't',
    workload: { name: 'w', records: 1, mix: { read: 1 }, keys: { kind: 'uniform' } },
  }
  const loads = [{ name: 'a', mix: { read: 1 } }]
  const trace = {
    file: 'f',
    requests: 1,
    keys: 1,
    mix: {},
    sizes: [1, 1],
    lengthMs: 1,
    startRecords: 0,
    sha256: '',
  }
  const tries = [
    {},
    needed,
    { ...needed, table: undefined },
    { ...needed, loads, table: undefined },
    { trace, speed: 1 },
  ]
  const parsed = tries.map((input) => config.safeParse(defined(input))).find(({ success }) => success)
  return parsed?.data
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** As a file has it: objects as objects. */
function inFile(sample: unknown): unknown {
  return typeof sample === 'string' && sample.startsWith('[') ? JSON.parse(sample) : sample
}

/** For each option that can be idle: what makes it so. */
const idle: readonly (readonly [study: string, given: readonly string[], sentence: string])[] = [
  [
    'run',
    ['--rate', '5', '--concurrency', '2'],
    '--concurrency says nothing beside --rate: use --max-in-flight.',
  ],
  ['run', ['--arrivals', 'poisson'], '--arrivals needs --rate.'],
  ['run', ['--max-in-flight', '3'], '--max-in-flight needs --rate.'],
  ['run', ['--when-full', 'queue'], '--when-full needs --rate.'],
  [
    'run',
    ['--reset', 'snapshot', '--save', 'a', '--restore', 'b'],
    '--reset says nothing beside --save and --restore.',
  ],
  ['run', ['--save', 'a'], '--save needs --restore, the command that brings the records back.'],
  ['run', ['--restore', 'a'], '--restore needs --save, the command that keeps the records.'],
  ['run', ['--until', '2%', '--runs', '2'], '--until needs three runs or more.'],
  ['run', ['--fail-fast'], '--fail-fast needs --fail-if.'],
  ...['run', 'sweep'].flatMap((study) =>
    (
      [
        ['--scan-length', 'scan'],
        ['--batch', 'batch-read, batch-write or batch-insert'],
        ['--check', 'read, read-modify-write, batch-read or scan'],
      ] as const
    ).map(([flag, mix]) => {
      const value = flag === '--check' ? [] : ['5']
      return [study, ['--mix', 'update=1', flag, ...value], `${flag} needs a mix with ${mix}.`] as const
    }),
  ),
  ...(
    [
      ['--mix', 'read=1', '"mix":"read=1"'],
      ['--rate', '5', '"concurrency":2'],
      ['--concurrency', '5', '"rate":2'],
      ['--duration', '5s', '"duration":"1s"'],
      ['--operations', '5', '"operations":1'],
    ] as const
  ).map(([flag, value, own]) => {
    const why = 'says nothing, as each phase has its own. Leave it out, or leave it out of a phase.'
    return ['run', ['--phases', `[{"name":"a",${own}}]`, flag, value], `${flag} ${why}`] as const
  }),
  [
    'replay',
    ['trace.csv', '--concurrency', '3'],
    '--concurrency is for --speed max: at a speed, requests begin at the times of the trace.',
  ],
  [
    'replay',
    ['trace.csv', '--speed', 'max', '--max-in-flight', '3'],
    '--max-in-flight is for a speed: with --speed max, --concurrency bounds what is in flight.',
  ],
]

test.each(idle)('bench %s %j is refused, as an option would be ignored', async (study, given, sentence) => {
  const { code, err } = await inProcess(['bench', study, ...given, '--store', 'memory:'])
  expect([code, err]).toEqual([2, `unikv: ${sentence}\n`])
})

test('a value that the configuration refuses is told by its option, and not by its field', async () => {
  const found = await Promise.all(
    [
      ['overhead', '--store', 'file:./o', '--warmup', '0s'],
      ['sizes', '--store', 'memory:', '--max-phase-ms', '0'],
      ['run', '--store', 'memory:', '--mix', 'read=0'],
    ].map((args) => inProcess(['bench', ...args])),
  )
  expect(found.map(({ code, err }) => [code, /wrong at (\S+):/.exec(err)?.[1]])).toEqual([
    [2, '--warmup'],
    [2, '--max-phase-ms'],
    [2, '--mix'],
  ])
})

test('a study without runs takes no baseline', async () => {
  const { code, err } = await inProcess(['bench', 'load', '--store', 'lmdb:./l', '--against', 'x y'])
  expect([code, err]).toEqual([2, expect.stringContaining("unknown option '--against'")])
  expect((await inProcess(['bench', 'load', '--help'])).out).not.toMatch(/--against|--turns|baseline in turn/)
  expect((await inProcess(['bench', 'sweep', '--help'])).out).toContain('--against <baseline>')
})

test('each sentence about an idle option is among these', () => {
  const of = (study: AnyStudy): readonly string[] =>
    optionsOf(study).flatMap(({ flag, facts }) => (facts.idle ?? []).map(({ why }) => `--${flag} ${why}`))
  const told = new Set(idle.map(([, , sentence]) => sentence))
  // Phases are of a run alone, which shares some options with studies that have none.
  expect([...new Set(loaded.flatMap(of))].filter((sentence) => !told.has(sentence))).toEqual([])
})

test.each([
  [
    'run',
    { mix: 'read=1,scan=1,batch-read=1', rate: '5' },
    { mix: 'read=1,batch-read=1,scan=1', rate: undefined },
  ],
  ['sweep', { mix: 'read=1,scan=1,batch-read=1' }, { over: 'records=1,2' }],
] as const)('results of bench %s must agree in each option by its words', async (name, options, closed) => {
  const study = studyOf(name)
  for (const option of optionsOf(study)) {
    const { alike } = option.facts
    if (typeof alike !== 'string') continue
    const common = { ...options, ...(['concurrency', 'phases', 'rate'].includes(option.name) ? closed : {}) }
    const given = { ...common, [option.name]: sampleOf(name, option) }
    const facts = async (values: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> =>
      alikeIn(study, (await configured(study, values)).config)
    const [one, other] = [await facts(common), await facts(given)]
    expect(one[alike], alike).not.toEqual(other[alike])
  }
  const { config } = await configured(study, { ...options, timeoutMs: 7, allowNonEmpty: true, runs: 9 })
  expect(alikeIn(study, config)).toEqual(alikeIn(study, (await configured(study, options)).config))
})
