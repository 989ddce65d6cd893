export { Histogram, type HistogramData, type HistogramOptions } from './histogram.ts'
export { type HistogramJson, histogramJson, histogramOf } from './histogram-json.ts'
