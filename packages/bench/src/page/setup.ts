import { promiseOf } from '../run/durability-words.ts'
import type { AnyResult, AnyStudy } from '../study/study.ts'
import type { SetupLine } from '../study/study-report.ts'

/** The setup of a result: servers and their settings, data, machine, versions, and how to repeat it. */
export function setupLines({ report }: AnyStudy, result: AnyResult): readonly SetupLine[] {
  const { config, environment: machine, versions, data, stores, runId, command } = result
  return [
    ...stores.map(
      (store): SetupLine => [
        `store ${store.name}`,
        `${store.url}; ${serverText(store.server)}; writes are ${promiseOf(store).words}`,
      ],
    ),
    ['data', `${report.dataOf?.(result) ?? data.description}; seed ${config.seed}`],
    ...report.setup(result),
    [
      'machine',
      `${machine.cpu}, ${machine.cores} cores, ${memoryText(machine.memoryBytes)} memory, ${machine.platform} ${machine.release} ${machine.architecture}, Node.js ${machine.node}`,
    ],
    ['versions', pairs(versions)],
    ['run', runId],
    ...(command === null ? [] : [['repeat', command] as const]),
  ]
}

/** Servers that do not tell their version are not given one. */
export function serverText(server: Readonly<Record<string, string>>): string {
  return pairs(server) || 'version and settings not told'
}

function pairs(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

/** Machines have powers of two, and the kernel takes a part: 23.5 GiB. */
function memoryText(bytes: number): string {
  return `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`
}
