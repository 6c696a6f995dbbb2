"""An independent, slow interpreter of the Coral NPU that tests compare the target with."""
