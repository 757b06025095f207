extension EventDecoder {
  func decodeCarefully(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) {
  }
  func decodeFast(_ line: UnsafeRawBufferPointer, into batch: IngestBatch) -> Bool { false }
}
