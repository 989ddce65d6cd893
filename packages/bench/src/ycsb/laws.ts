import { type KeyLaw, keyLawSchema } from '../keys/key-law.ts'
import { readNumberHistogram } from '../random/number-histogram.ts'
import type { LengthLaw } from '../values/length-law.ts'
import type { PropertyReader } from './property-reader.ts'

const requestDistributions = ['uniform', 'zipfian', 'latest', 'hotspot', 'exponential', 'sequential'] as const

const mostLength = 2 ** 30

/** The law of keys. @throws {StoreError} `INVALID_ARGUMENT` */
export function requestLaw(read: PropertyReader): KeyLaw {
  const kind = read.oneOf('requestdistribution', requestDistributions, 'uniform')
  if (kind === 'hotspot') {
    const dataFraction = read.number('hotspotdatafraction', 0.2, 0, 1)
    return { kind, dataFraction, operationFraction: read.number('hotspotopnfraction', 0.8, 0, 1) }
  }
  if (kind === 'exponential') {
    const percentile = read.number('exponential.percentile', 95, 1e-6, 99.999999)
    return { kind, percentile, fraction: read.number('exponential.frac', 0.8571428571, 1e-9) }
  }
  return keyLawSchema.parse({ kind })
}

/** The law of the length of a record: that of all its fields together. @throws {StoreError} `INVALID_ARGUMENT` */
export function recordLaw(read: PropertyReader): LengthLaw {
  const fields = read.whole('fieldcount', 10, 1, 100_000)
  const most = read.whole('fieldlength', 100, 1, mostLength)
  const distributions = ['constant', 'uniform', 'zipfian', 'histogram'] as const
  const kind = read.oneOf('fieldlengthdistribution', distributions, 'constant')
  switch (kind) {
    case 'constant':
      return { kind, length: fields * most }
    case 'histogram':
      return { kind, ...readNumberHistogram(read.text('fieldlengthhistogram', 'hist.txt')), fields }
    case 'uniform':
    case 'zipfian':
      return range(kind, read.whole('minfieldlength', 1, 1, most), most, { fields })
  }
}

/** The law of the number of records that a scan asks for. @throws {StoreError} `INVALID_ARGUMENT` */
export function scanLaw(read: PropertyReader): LengthLaw {
  const most = read.whole('maxscanlength', 1_000, 1, mostLength)
  const least = read.whole('minscanlength', 1, 1, most)
  return range(read.oneOf('scanlengthdistribution', ['uniform', 'zipfian'], 'uniform'), least, most, {})
}

function range(
  kind: 'uniform' | 'zipfian',
  least: number,
  most: number,
  fields: { readonly fields?: number },
): LengthLaw {
  if (kind === 'uniform') return { kind, least, most, ...fields }
  return { kind, least, most, theta: 0.99, law: 'ycsb', ...fields }
}
