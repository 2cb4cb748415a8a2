"""Work for the workers: the RQ queues, advice jobs (hints and reviews), and the computer levels."""
