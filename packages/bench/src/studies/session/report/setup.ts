import { workloadLaws } from '../../../operations/context.ts'
import { mixOf } from '../../../operations/mix.ts'
import type { Workload } from '../../../operations/workload.ts'
import { formatExact, formatLength, percent } from '../../../report/words.ts'
import type { Parameter } from '../../../session/model/parameters.ts'
import type { SetupLine } from '../../../study/study-report.ts'
import type { SessionConfig } from '../config.ts'
import type { SessionResult } from '../result.ts'

/** The data: that of a benchmark of sessions is made by its populations. */
export function dataOf({ config, data }: SessionResult): string {
  return config.operations === null ? `benchmark ${config.benchmark}` : data.description
}

/** The work, the runs and the parameters of the jobs. */
export function setup({ config, jobs }: SessionResult): readonly SetupLine[] {
  const { durationMs, warmupMs, runs } = config
  const given = jobs.filter(({ parameters }) => Object.keys(parameters).length > 0)
  const parameters = given.map(({ name, parameters: own }) => `${name}: ${listed(own)}`)
  return [
    ...(config.operations === null
      ? sessionLines(config, jobs.length > 1)
      : operationLines(config, config.operations)),
    config.loads === null
      ? ['runs', `${runs} of ${formatLength(durationMs)}, after a warm-up of ${formatLength(warmupMs)}`]
      : ['runs', `${runs}, each to its last record`],
    ...(parameters.length === 0 ? [] : [['parameters', parameters.join('; ')] as const]),
  ]
}

function sessionLines(config: SessionConfig, areMany: boolean): readonly SetupLine[] {
  const { access, module, sessions, callers } = config
  return [
    ['benchmark', benchmarkText(config, areMany)],
    ['access', module === null ? accessText(access) : `that of ${module.file}, ${asked(access)}`],
    [
      'sessions',
      `${sessions} at the same time, ${callers} ${callers === 1 ? 'caller' : 'callers'}${placesText(config)}`,
    ],
  ]
}

function accessText({ style, transactions, retry }: SessionConfig['access']): string {
  if (style === 'sql') return 'SQL'
  const kind = style === 'transactions' ? 'over records' : transactions
  return `entities, ${asked({ transactions: kind, retry })}`
}

function asked({ transactions, retry }: { readonly transactions: string; readonly retry: string }): string {
  return `transactions ${transactions}, retry ${retry}`
}

/** The benchmark, its model, and the parameters that the document gives it, in which several jobs may differ. */
function benchmarkText({ benchmark, modelName, model }: SessionConfig, areMany: boolean): string {
  const named = `${benchmark}, ${modelName === null ? 'transitions of its own' : `model ${modelName}`}`
  if (areMany) return named
  const given = Object.entries(model.parameters ?? {})
  return [named, ...given.map(([name, value]) => `${name} ${parameterText(value)}`)].join(', ')
}

function parameterText(value: Parameter): string {
  if (typeof value !== 'object') return String(value)
  return `${value.random} from ${value.min} to ${value.max}${value.partition === true ? ' in parts' : ''}`
}

function operationLines(config: SessionConfig, workload: Workload): readonly SetupLine[] {
  const { keyLaw, lengthLaw } = workloadLaws(workload, 0)
  const total = mixOf(workload).reduce((sum, [, weight]) => sum + weight, 0)
  const shares = mixOf(workload).map(([name, weight]) => `${percent(weight / total)} % ${name}`)
  return [
    ['benchmark', `${workload.name}: ${shares.join(', ')}`],
    ['records', `${formatExact(workload.records)}, bytes of a value: ${lengthLaw}`],
    ['keys', keyLaw],
    ['callers', `${config.callers}${placesText(config)}`],
  ]
}

/** Those that share the callers, if this thread does not have them all. */
function placesText({ threads, workers }: SessionConfig): string {
  if (workers > 0) return `, in ${workers} ${workers === 1 ? 'worker' : 'workers'} elsewhere`
  return threads > 1 ? `, in ${threads} threads` : ''
}

function listed(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
