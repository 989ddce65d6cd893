export { type YcsbPresetName, ycsbPreset, ycsbPresetNames } from './ycsb/presets.ts'
export { givenProperty, type Properties, type Property, parseProperties } from './ycsb/properties.ts'
export { type YcsbOperationSummary, type YcsbSummary, ycsbText } from './ycsb/ycsb-text.ts'
export {
  workloadOfProperties,
  type YcsbOperation,
  type YcsbReading,
  type YcsbWorkload,
} from './ycsb/ycsb-workload.ts'
