import { Histogram } from '@unikv/core/histogram'
import { expect, test } from 'vitest'
import { ycsbText } from '../../src/ycsb/ycsb-text.ts'

function histogramOf(...microseconds: number[]): Histogram {
  const histogram = new Histogram()
  for (const value of microseconds) histogram.record(value * 1_000)
  return histogram
}

test('ycsbText writes the lines of YCSB', () => {
  const times = Array.from({ length: 100 }, (_, i) => i + 1)
  const text = ycsbText(
    {
      elapsedMs: 2_000.4,
      operations: [
        { name: 'read', count: 103, histogram: histogramOf(...times), misses: 2, errors: 3 },
        { name: 'read-modify-write', count: 1, histogram: histogramOf(7), misses: 0, errors: 0 },
        { name: 'scan', count: 1, histogram: histogramOf(), misses: 0, errors: 1 },
      ],
    },
    [50, 91, 99.9],
  )
  expect(text.split('\n')).toEqual([
    '[OVERALL], RunTime(ms), 2000',
    '[OVERALL], Throughput(ops/sec), 52.49',
    '[READ], Operations, 100',
    '[READ], AverageLatency(us), 50.5',
    '[READ], MinLatency(us), 1',
    '[READ], MaxLatency(us), 100',
    expect.stringMatching(/^\[READ\], 50thPercentileLatency\(us\), (49|50)$/),
    expect.stringMatching(/^\[READ\], 91stPercentileLatency\(us\), (90|91)$/),
    '[READ], 99.9PercentileLatency(us), 100',
    '[READ], Return=OK, 98',
    '[READ], Return=NOT_FOUND, 2',
    '[READ], Return=ERROR, 3',
    '[READ-MODIFY-WRITE], Operations, 1',
    '[READ-MODIFY-WRITE], AverageLatency(us), 7.0',
    '[READ-MODIFY-WRITE], MinLatency(us), 7',
    '[READ-MODIFY-WRITE], MaxLatency(us), 7',
    '[READ-MODIFY-WRITE], 50thPercentileLatency(us), 7',
    '[READ-MODIFY-WRITE], 91stPercentileLatency(us), 7',
    '[READ-MODIFY-WRITE], 99.9PercentileLatency(us), 7',
    '[READ-MODIFY-WRITE], Return=OK, 1',
    '[SCAN], Operations, 0',
    '[SCAN], Return=ERROR, 1',
    '',
  ])
})

test('ycsbText prints the median, the 95th and the 99th percentile unless told', () => {
  const operations = [{ name: 'read', count: 1, histogram: histogramOf(5), misses: 0, errors: 0 }]
  const text = ycsbText({ elapsedMs: 1, operations })
  expect(text.match(/\d+(?:st|nd|rd|th)(?=Percentile)/g)).toEqual(['50th', '95th', '99th'])
})
