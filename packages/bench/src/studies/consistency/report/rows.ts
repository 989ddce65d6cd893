import { eachRun, figures, type Row, rowsAt } from '../../../cube/row.ts'
import { failureRows, latencyRows } from '../../../driven/rows.ts'
import type { ConsistencyResult, StaleResult } from '../result.ts'

/** Rates and times of each pair of levels, and how old reads were after a write. */
export function rows({ rates, stale }: ConsistencyResult): readonly Row[] {
  return [
    ...rates.flatMap(({ store, condition, pair, callers, rate, read, write, count, errors }) => {
      const dimensions = { levels: pair, condition, callers }
      const times = Object.entries({ read, write }).flatMap(([operation, latency]) =>
        latency === null
          ? []
          : rowsAt({ store, dimensions: { ...dimensions, operation } }, latencyRows('service', latency)),
      )
      return [
        ...rowsAt({ store, dimensions }, [
          ...eachRun('rate', '1/s', rate.runs),
          ...(count === undefined ? [] : [{ measure: 'operations', unit: 'count', value: count } as const]),
          ...failureRows('operations', errors),
        ]),
        ...times,
      ]
    }),
    ...stale.flatMap(staleRows),
  ]
}

function staleRows({ store, condition, pair, readers, seen }: StaleResult): readonly Row[] {
  const dimensions = { levels: pair, condition }
  // A time that readers did not wait for is not known.
  const times = Object.entries({ p50: seen.median, p95: seen.p95, p99: seen.p99, max: seen.max }).map(
    ([name, quantile]) => [name, quantile === null || quantile.isCensored ? null : quantile.ms] as const,
  )
  return [
    ...rowsAt({ store, dimensions }, [
      ...figures('seen by all', 'ms', Object.fromEntries(times)),
      { measure: 'never seen', unit: 'count', value: seen.unseen },
    ]),
    ...readers.flatMap(({ name, points, errors, wentBack }) => [
      ...rowsAt({ store, dimensions: { ...dimensions, reader: name } }, [
        ...failureRows('reads', errors),
        ...(wentBack === null
          ? []
          : [
              { measure: 'writes seen', unit: 'count', value: wentBack.of } as const,
              { measure: 'went back', unit: 'count', value: wentBack.found } as const,
            ]),
      ]),
      ...points.flatMap(({ delayMs, atMs, found, of }) =>
        rowsAt({ store, dimensions: { ...dimensions, reader: name, delayMs } }, [
          { measure: 'began', unit: 'ms', statistic: 'mean', value: atMs },
          { measure: 'reads', unit: 'count', value: of },
          { measure: 'stale reads', unit: 'count', value: found },
        ]),
      ),
    ]),
  ]
}
